model Elsew
  Integer s(start=0,fixed=true);
  discrete Real t1(start=-1), t2(start=-1);
  Real x(start=0,fixed=true);
equation
  der(x)=1;
  when x > 0.7 then
    s = 2;
    t2=time;
  elsewhen x > 0.3 then
    s = 1;
    t2 = pre(t2);
  end when;
  when {x>0.2, x>0.5} then
    t1=time;
  end when;
end Elsew;
