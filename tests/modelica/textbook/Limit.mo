model Limit "limiter with if"
  Real u=2*sin(time);
  Real y = if u > 1 then 1 elseif u < -1 then -1 else u;
  Real I(start=0,fixed=true);
equation
  der(I)=y;
end Limit;
