model BoolAlg
  Boolean a = time > 0.3;
  Boolean b = time > 0.6;
  Boolean c;
  Integer n(start=0,fixed=true);
  Boolean x = a and not b;
  Boolean y = a <> b;
  Integer edges(start=0,fixed=true);
algorithm
  c := false;
  if a then
    c := not b;
  end if;
equation
  when {edge(a), edge(b)} then
    n = pre(n) + 1;
  end when;
  when not x then
    edges = pre(edges)+1;
  end when;
end BoolAlg;
