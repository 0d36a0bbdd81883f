model DerExpr
  Real x(start=1,fixed=true);
  Real y;
  Real z;
equation
  der(x*x) = 2;
  y = der(x^2 + time);
  z = der(sin(x));
end DerExpr;
