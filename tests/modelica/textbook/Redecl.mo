package Redecl
  partial model Base
    Real x(start=1,fixed=true);
    parameter Real k=1;
  end Base;
  model Decay
    extends Base;
  equation
    der(x) = -k*x;
  end Decay;
  model Grow
    extends Base(k=3);
    Real extra = x;
  equation
    der(x) = k*x;
  end Grow;
  model Sys
    replaceable model M = Decay constrainedby Base(k=2);
    M a;
    M b(k=5);
    replaceable Decay c constrainedby Base;
  end Sys;
  model Top
    Sys s1;
    Sys s2(redeclare model M = Grow);
    Sys s3(redeclare Grow c(k=0.5));
    extends Sys(redeclare model M = Grow(k=4));
  end Top;
end Redecl;
