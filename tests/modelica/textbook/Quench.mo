model Quench "a condition that holds as an equality once it does not matter any more"
  Real i(start = 1, fixed = true);
  Real v;
  Boolean quenched(start = false, fixed = true);
  Integer events(start = 0, fixed = true);
equation
  quenched = abs(i) <= 1e-3*abs(v) or pre(quenched);
  der(i) = if quenched then 0 else -1;
  v = if quenched then 1e3*i else 100;
  when quenched then
    events = pre(events) + 1;
  end when;
end Quench;
