model WhileRet
  function f
    input Real x;
    output Integer k;
  algorithm
    k := 0;
    while true loop
      k := k+1;
      if x < k then
        return;
      end if;
      if k > 20 then
        break;
      end if;
    end while;
    k := -1;
  end f;
  Integer a = f(3.5);
  Integer b = f(100.0);
  Real x(start=0,fixed=true);
equation
  der(x)=f(0.2);
end WhileRet;
