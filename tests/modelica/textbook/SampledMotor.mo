model SampledMotor "PI controller at sampling instants, plant between them"
  parameter Real Ts=0.05, Kp=0.8, Ti=0.3, umax=1.5;
  parameter Real A[2,2]=[-1, 2; 0, -4], b[2]={0, 4};
  Real x[2](each start=0, each fixed=true);
  discrete Real u(start=0, fixed=true), I(start=0, fixed=true), e(start=0, fixed=true);
  Integer k(start=0, fixed=true), saturated(start=0, fixed=true);
  Real ref = if time < 1 then 1 else -0.5;
  Boolean tick;
equation
  tick = sample(0, Ts);
  der(x) = A*x + b*u;
algorithm
  when tick then
    e := ref - x[1];
    I := pre(I) + Ts/Ti*e;
    u := Kp*(e + I);
    if u > umax then
      u := umax;
      I := pre(I);
      saturated := pre(saturated) + 1;
    elseif u < -umax then
      u := -umax;
      I := pre(I);
      saturated := pre(saturated) + 1;
    end if;
    k := pre(k) + 1;
  end when;
  annotation(experiment(StopTime=2.02, Tolerance=1e-9));
end SampledMotor;
