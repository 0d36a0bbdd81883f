model DerOfExpression "Balances of products"
  parameter Real A=2, cp=4, k=0.3;
  Real h(start=1, fixed=true), T(start=20, fixed=true), q=0.5 + 0.2*sin(time);
  Real V=A*h, U=V*cp*T;
equation
  der(V) = q - k*sqrt(h);
  der(V*cp*T) = q*cp*60 - k*sqrt(h)*cp*T - 3*(T - 15);
  annotation(experiment(StopTime=5, Tolerance=1e-9));
end DerOfExpression;
