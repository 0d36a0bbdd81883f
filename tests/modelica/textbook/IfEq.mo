model IfEq
  parameter Boolean lin=false;
  Real x(start=1,fixed=true);
  Real f;
  Real y(start=0,fixed=true);
  Real g, h;
equation
  if lin then
    f = x;
  else
    f = x^2;
  end if;
  der(x) = -f;
  if time < 1 then
    g = 1;
    h = 2*g;
  elseif time < 2 then
    g = 2;
    h = g;
  else
    g = 3;
    h = 0;
  end if;
  der(y) = g + h;
end IfEq;
