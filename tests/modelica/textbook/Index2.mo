model Index2 "capacitors in parallel, inductors in series"
  parameter Real C1=1,C2=3,L1=1,L2=2;
  Real v(start=2,fixed=true), i1, i2, iL(start=0,fixed=true), vL1, vL2;
equation
  C1*der(v)=i1;
  C2*der(v)=i2;
  i1+i2 = -iL;
  L1*der(iL)=vL1;
  L2*der(iL)=vL2;
  vL1+vL2 = v;
end Index2;
