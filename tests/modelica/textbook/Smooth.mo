model Smooth
  Real x(start=-1,fixed=true);
  Real y;
  Real z;
  Real w;
equation
  der(x)=1;
  y = smooth(1, if x>0 then x^2 else 0);
  z = noEvent(if x>0 then sqrt(x) else 0);
  w = if x < 0 then -x else x;
end Smooth;
