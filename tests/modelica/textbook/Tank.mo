package Tank
  connector Flow
    Real p;
    flow Real m;
  end Flow;
  model T
    parameter Real A=1;
    parameter Real g=10;
    Real h(start=2,fixed=true);
    Flow c;
  equation
    A*der(h)=c.m;
    c.p=g*h;
  end T;
  model Pipe
    parameter Real k=0.1;
    Flow a,b;
  equation
    a.m=k*(a.p-b.p);
    a.m+b.m=0;
  end Pipe;
  model Sys
    T t[3](h(start={3,2,1}), A={1,2,1});
    Pipe p[2];
    Real vol=sum(t.A .* t.h);
  equation
    for i in 1:2 loop
      connect(t[i].c,p[i].a);
      connect(p[i].b,t[i+1].c);
    end for;
  end Sys;
end Tank;
