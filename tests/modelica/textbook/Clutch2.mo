model Clutch2 "friction by mode"
  Real w1(start=10,fixed=true), w2(start=0,fixed=true), tau;
  Boolean locked(start=false,fixed=true);
  discrete Real tl(start=0,fixed=true);
equation
  2*der(w1) = -tau;
  1*der(w2) = tau;
  if locked then
    der(w1)-der(w2)=0;
  else
    tau = 5;
  end if;
  when w1 - w2 < 0 then
    locked = true;
    tl=time;
  end when;
end Clutch2;
