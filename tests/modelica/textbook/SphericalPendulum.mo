model SphericalPendulum "Index 3 in vectors"
  parameter Real m=1.5, L=2, g=9.81;
  constant Real e3[3] = {0, 0, 1};
  Real r[3](start={1.2, 0, -1.6}), v[3](start={0, 1.5, 0}), F;
  Real E "energy";
initial equation
  r[1] = 1.2;
  r[2] = 0;
  v[1] = 0;
  v[2] = 1.5;
equation
  der(r) = v;
  m*der(v) = -F*r - m*g*e3;
  r*r = L^2;
  E = m*(v*v)/2 + m*g*r[3];
  annotation(experiment(StopTime=3, Tolerance=1e-9));
end SphericalPendulum;
