model StateM "traffic light"
  parameter Real tg=2, ty=1, tr=3;
  Integer state(start=1,fixed=true);
  discrete Real tn(start=2,fixed=true);
  Boolean g,y,r;
equation
  when time >= pre(tn) then
    state = if pre(state)==3 then 1 else pre(state)+1;
    tn = time + (if state==1 then tg elseif state==2 then ty else tr);
  end when;
  g = state==1;
  y = state==2;
  r = state==3;
end StateM;
