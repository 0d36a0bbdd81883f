model Lag "x' = -x(t - 1) with x = 1 before: polynomials by the method of steps"
  parameter Real T = 1;
  Real x(start = 1, fixed = true);
  Real echo "of a ramp that begins at 0.25";
equation
  der(x) = -delay(x, T);
  echo = delay(if time < 0.25 then 0 else time - 0.25, 0.5);
  annotation(experiment(StopTime = 3, Tolerance = 1e-8));
end Lag;
