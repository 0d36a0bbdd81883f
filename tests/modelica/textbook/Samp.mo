model Samp
  parameter Real Ts=0.1;
  discrete Real u(start=0,fixed=true);
  Real x(start=1,fixed=true);
  Integer k(start=0,fixed=true);
equation
  der(x) = u;
  when sample(0,Ts) then
    u = -pre(x)*2;
    k = pre(k)+1;
  end when;
end Samp;
