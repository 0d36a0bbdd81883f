model Funcs
  function polyval
    input Real a[:];
    input Real x;
    output Real y;
  algorithm
    y := 0;
    for i in size(a,1):-1:1 loop
      y := y*x + a[i];
    end for;
  end polyval;
  function fact
    input Integer n;
    output Integer f;
  algorithm
    f := 1;
    for i in 2:n loop
      f := f*i;
    end for;
  end fact;
  function fib
    input Integer n;
    output Integer f;
  algorithm
    if n < 2 then
      f := n;
    else
      f := fib(n-1) + fib(n-2);
    end if;
  end fib;
  function minmax
    input Real v[:];
    output Real lo;
    output Real hi;
  algorithm
    lo := v[1];
    hi := v[1];
    for x in v loop
      if x < lo then
        lo := x;
      end if;
      if x > hi then
        hi := x;
      end if;
    end for;
  end minmax;
  function newton
    input Real a;
    output Real x;
  protected
    Integer k;
  algorithm
    x := a;
    k := 0;
    while abs(x*x - a) > 1e-12 and k < 50 loop
      x := 0.5*(x + a/x);
      k := k+1;
    end while;
  end newton;
  function rev
    input Real x[:];
    output Real y[size(x,1)];
  algorithm
    for i in 1:size(x,1) loop
      y[i] := x[size(x,1)+1-i];
    end for;
  end rev;
  function opt
    input Real a;
    input Real b = 2*a;
    input Real c = 10;
    output Real y = a+b+c;
  algorithm
  end opt;
  function find
    input Real v[:];
    input Real x;
    output Integer k;
  algorithm
    k := 0;
    for i in 1:size(v,1) loop
      if v[i] == x then
        k := i;
        return;
      end if;
    end for;
  end find;
  function mats
    input Real A[:,:];
    output Real s;
  algorithm
    s := 0;
    for i in 1:size(A,1), j in 1:size(A,2) loop
      s := s + A[i,j];
    end for;
  end mats;
  Real lo, hi;
  Real p = polyval({1,2,3}, time);
  Integer f5 = fact(5);
  Integer f10 = fib(10);
  Real r = newton(2+time);
  Real v[3]=rev({1,2,time});
  Real o1 = opt(1);
  Real o2 = opt(1, c=0);
  Real o3 = opt(b=1,a=2);
  Integer k = find({5,6,7},6);
  Integer k0=find({1,2},9);
  Real ms = mats([1,2;3,4]);
equation
  (lo,hi) = minmax({time, 1-time, 3});
end Funcs;
