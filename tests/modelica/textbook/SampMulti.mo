model SampMulti
  Integer a(start=0,fixed=true), b(start=0,fixed=true), c(start=0,fixed=true);
equation
  when sample(0,0.1) then
    a=pre(a)+1;
  end when;
  when sample(0,0.2) then
    b=pre(b)+1;
  end when;
  when {sample(0.05,0.1), sample(0.1,0.1)} then
    c = pre(c)+1;
  end when;
end SampMulti;
