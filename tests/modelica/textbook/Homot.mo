model Homot
  Real x;
  Real y(start=0,fixed=true);
equation
  homotopy(x^3 + x - 10, x - 2) = 0;
  der(y)=x;
end Homot;
