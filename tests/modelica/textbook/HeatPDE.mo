model HeatPDE
  parameter Integer N=10;
  parameter Real dx=1/N;
  Real u[N+1](start={sin(3.141592653589793*i/N) for i in 0:N});
equation
  u[1]=0;
  u[N+1]=0;
  for i in 2:N loop
    der(u[i]) = (u[i+1]-2*u[i]+u[i-1])/dx^2;
  end for;
initial equation
  for i in 2:N loop
    u[i] = sin(3.141592653589793*(i-1)/N);
  end for;
end HeatPDE;
