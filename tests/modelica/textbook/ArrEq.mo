model ArrEq
  parameter Integer n=5;
  Real x[n](start=linspace(1,5,n), each fixed=true);
  Real dx[n-1]=x[2:n]-x[1:n-1];
  Real m=sum(x)/n;
equation
  der(x) = -x + fill(m,n);
end ArrEq;
