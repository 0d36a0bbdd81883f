model Reinit2
  Real x(start=1,fixed=true), y(start=2,fixed=true);
equation
  der(x)=0;
  der(y)=0;
  when time > 0.5 then
    reinit(x, y);
    reinit(y, x);
  end when;
end Reinit2;
