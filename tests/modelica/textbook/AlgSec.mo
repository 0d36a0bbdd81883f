model AlgSec
  Real x(start=1,fixed=true);
  Real y, z;
protected
  Real t;
algorithm
  t := x*2;
  y := t + 1;
  for i in 1:3 loop
    y := y + i;
  end for;
  z := if y > 8 then 1 else 2;
equation
  der(x) = -x;
end AlgSec;
