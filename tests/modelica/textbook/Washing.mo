model Washing "Programme of a washing machine: enumerations, edges, counters"
  type Phase=enumeration(idle, fill, wash, drain, spin, done);
  parameter Real times[Phase]={1, 2, 4, 1.5, 3, 1e9};
  parameter Integer rounds=2;
  Phase phase(start=Phase.idle, fixed=true);
  discrete Real since(start=0, fixed=true);
  Integer round(start=0, fixed=true), changes(start=0, fixed=true), starts(start=0, fixed=true), visits[Phase](each start=0, each fixed=true);
  Boolean motor;
  Real level(start=0, fixed=true);
equation
  when time >= pre(since) + times[pre(phase)] then
    since = time;
    phase = if pre(phase) == Phase.idle then Phase.fill
      elseif pre(phase) == Phase.fill then Phase.wash
      elseif pre(phase) == Phase.wash then Phase.drain
      elseif pre(phase) == Phase.drain then (if pre(round) + 1 < rounds then Phase.fill else Phase.spin)
      else Phase.done;
    round = if pre(phase) == Phase.drain then pre(round) + 1 else pre(round);
    for p in Phase loop
      visits[p] = pre(visits[p]) + (if phase == p then 1 else 0);
    end for;
  end when;
  when change(phase) then
    changes = pre(changes) + 1;
  end when;
  motor = phase == Phase.wash or phase == Phase.spin;
  when edge(motor) then
    starts = pre(starts) + 1;
  end when;
  der(level) = if phase == Phase.fill then 3 elseif phase == Phase.drain then -4*level else 0;
  annotation(experiment(StopTime=25, Tolerance=1e-9));
end Washing;
