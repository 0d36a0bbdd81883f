model InitEq
  Real x;
  Real y;
  parameter Real k(fixed=false);
  parameter Real y0=3;
equation
  der(x) = -k*x + 2;
  der(y)= x - y;
initial equation
  der(x)=0;
  der(y)=0;
  x = 4;
end InitEq;
