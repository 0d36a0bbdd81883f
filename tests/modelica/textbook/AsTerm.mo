model AsTerm
  Real x(start=0,fixed=true);
equation
  der(x)=1;
  when x>0.5 then
    terminate("done");
  end when;
  assert(x<10,"big");
end AsTerm;
