model Balls "Three balls that bounce, and a shutter that stops the lowest"
  parameter Integer n=3;
  parameter Real e[n]={0.9, 0.8, 0.7}, h0[n]={1, 2, 3}, g=9.81;
  Real h[n](start=h0, each fixed=true), v[n](each start=0, each fixed=true);
  Integer hits[n](each start=0, each fixed=true);
  Integer all_hits = sum(hits);
  Real last(start=-1, fixed=true);
equation
  for i in 1:n loop
    der(h[i]) = v[i];
    der(v[i]) = -g;
    when h[i] <= 0 then
      reinit(v[i], -e[i]*pre(v[i]));
      hits[i] = pre(hits[i]) + 1;
    end when;
  end for;
  when {h[i] <= 0 for i in 1:n} then
    last = time;
  end when;
  annotation(experiment(StopTime=2, Tolerance=1e-9));
end Balls;
