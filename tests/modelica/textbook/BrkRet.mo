model BrkRet
  function f
    input Real x;
    output Real y;
  algorithm
    y := 0;
    for i in 1:5 loop
      if x > i + 10 then
        break;
      end if;
      if x < i then
        y := i;
        return;
      end if;
    end for;
    y := -1;
  end f;
  Real a = f(2.5);
  Real b = f(100);
  Real c = f(7);
  Real d=f(2.5+time);
end BrkRet;
