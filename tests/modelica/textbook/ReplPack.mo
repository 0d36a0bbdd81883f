package ReplPack
  partial package Medium
    constant Real cp;
    replaceable partial function h
      input Real T;
      output Real y;
    end h;
  end Medium;
  package Water
    extends Medium(cp=4);
    redeclare function extends h
    algorithm
      y := cp*T;
    end h;
  end Water;
  package Air
    extends Medium(cp=1);
    redeclare function h
      input Real T;
      output Real y;
    algorithm
      y := 1*T+0.5;
    end h;
  end Air;
  model Vol
    replaceable package M = Water constrainedby Medium;
    Real x = M.h(2);
    Real c = M.cp*time;
  end Vol;
  model Top
    Vol a;
    Vol b(redeclare package M = Air);
  end Top;
end ReplPack;
