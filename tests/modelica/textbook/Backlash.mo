model Backlash "Motor and load joined by a shaft with backlash"
  import SI = Backlash.Units;
  package Units
    type Angle = Real(unit="rad");
    type Speed = Real(unit="rad/s");
    type Torque = Real(unit="N.m");
  end Units;
  parameter Real Jm(unit="kg.m2")=0.05, Jl(unit="kg.m2")=0.2;
  parameter Real c(unit="N.m/rad")=50, d(unit="N.m.s/rad")=0.5;
  parameter SI.Angle b=0.1 "whole gap";
  SI.Angle pm(start=0, fixed=true), pl(start=0, fixed=true), gap;
  SI.Speed wm(start=0, fixed=true), wl(start=0, fixed=true);
  SI.Torque tau, drive;
  Integer contacts(start=0, fixed=true);
  Boolean right, left;
equation
  drive = 2*sin(3*time);
  gap = pm - pl;
  right = gap > b/2;
  left = gap < -b/2;
  if right then
    tau = c*(gap - b/2) + d*(wm - wl);
  elseif left then
    tau = c*(gap + b/2) + d*(wm - wl);
  else
    tau = 0;
  end if;
  wm = der(pm);
  wl = der(pl);
  Jm*der(wm) = drive - tau;
  Jl*der(wl) = tau - 0.1*wl;
  when {right, left} then
    contacts = pre(contacts) + 1;
  end when;
  annotation(experiment(StopTime=4, Tolerance=1e-9));
end Backlash;
