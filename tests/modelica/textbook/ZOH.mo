model ZOH "digital PI"
  parameter Real Ts=0.05;
  discrete Real e(start=0), I(start=0), u(start=0);
  Real x(start=0,fixed=true);
equation
  der(x) = -x + u;
  when sample(0,Ts) then
    e = 1 - x;
    I = pre(I) + Ts*e;
    u = 2*e + 3*I;
  end when;
end ZOH;
