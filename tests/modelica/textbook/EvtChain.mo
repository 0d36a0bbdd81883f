model EvtChain
  Boolean a(start=false), b, c;
  Integer k(start=0,fixed=true);
  Real x(start=0,fixed=true);
equation
  der(x)=1;
  a = x > 0.5;
  b = pre(a);
  c = pre(b);
  when c then
    k = pre(k) + 1;
  end when;
end EvtChain;
