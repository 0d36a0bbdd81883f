model ReactorStart "CSTR that starts at rest; a heater power follows from the wanted temperature"
  parameter Real q=100, V=100, Caf=1, Tf=350, k0=7.2e10, ER=8750, dH=5e4/239, UA=5e4/239;
  parameter Real Tc(fixed=false, start=300), Twanted=340;
  Real Ca(start=0.8), T(start=340), r;
  Real Tj = Tc + (if time < 1 then 0 else 5);
initial equation
  der(Ca)=0;
  der(T)=0;
  T=Twanted;
equation
  r=k0*exp(-ER/T)*Ca;
  der(Ca)=q/V*(Caf - Ca) - r;
  der(T)=q/V*(Tf - T) + dH*r + UA/V*(Tj - T);
  annotation(experiment(StopTime=4, Tolerance=1e-9));
end ReactorStart;
