model Stick "A friction clutch: slides, sticks at t = 10/3, breaks loose at t = 5"
  parameter Real J1 = 1, J2 = 2, slide = 2, peak = 2.4;
  Real phi1(start = 0, fixed = true), phi2(start = 0, fixed = true);
  Real w1(start = 10, fixed = true), w2(start = 0, fixed = true);
  Real gap "relative angle", slip, rate, torque;
  Real path "torque of a stuck clutch; otherwise it gives the acceleration";
  Real load = if time < 5 then 0 else 20;
  Integer mode(start = -1, fixed = true) "direction of sliding; 0: stuck";
  Boolean up(start = false, fixed = true), down(start = false, fixed = true), stuck;
equation
  w1 = der(phi1);
  w2 = der(phi2);
  gap = phi2 - phi1;
  slip = der(gap);
  rate = der(slip);
  up = pre(mode) == 0 and (path > peak or pre(up) and path > slide);
  down = pre(mode) == 0 and (path < -peak or pre(down) and path < -slide);
  stuck = pre(mode) == 0 and not up and not down;
  torque = if stuck then path else if up or pre(mode) == 1 then slide else -slide;
  rate = if stuck then 0 else if up or pre(mode) == 1 then path - peak else path + peak;
  J1*der(w1) = torque;
  J2*der(w2) = load - torque;
  mode = if (pre(mode) == 1 or up) and slip > 0 then 1
    else if (pre(mode) == -1 or down) and slip < 0 then -1 else 0;
  annotation(experiment(StopTime = 6, Tolerance = 1e-8));
end Stick;
