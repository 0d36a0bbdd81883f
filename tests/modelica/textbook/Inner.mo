package Inner
  model World
    parameter Real g = 9.81;
    Real T = 20 + time;
  end World;
  model Body
    outer World world;
    Real v(start=0,fixed=true);
  equation
    der(v) = -world.g;
  end Body;
  model Sys
    Body b[2];
    Body c;
  end Sys;
  model Top
    inner World world(g=2);
    Sys s;
    Real t = s.b[1].v;
  end Top;
end Inner;
