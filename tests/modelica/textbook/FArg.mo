package FArg
  partial function F
    input Real x;
    output Real y;
  end F;
  function sq
    extends F;
  algorithm
    y := x^2;
  end sq;
  function lin
    extends F;
    input Real a = 3;
  algorithm
    y := a*x;
  end lin;
  function integ
    input F f;
    input Real a;
    input Real b;
    input Integer n=100;
    output Real s;
  protected
    Real h=(b-a)/n;
  algorithm
    s := 0;
    for i in 0:n-1 loop
      s := s + h*f(a+(i+0.5)*h);
    end for;
  end integ;
  model Top
    Real s = integ(sq, 0, 1);
    Real l = integ(function lin(a=2), 0, 1);
  end Top;
end FArg;
