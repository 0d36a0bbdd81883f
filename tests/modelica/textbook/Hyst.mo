model Hyst
  Boolean on(start=true,fixed=true);
  Real T(start=15,fixed=true);
  Integer sw(start=0,fixed=true);
equation
  on = if pre(on) then T < 22 else T < 18;
  der(T) = if on then 2 else -1;
  when change(on) then
    sw = pre(sw)+1;
  end when;
end Hyst;
