package TransMed
  connector Heat
    Real T;
    flow Real Q;
  end Heat;
  model Cap
    parameter Real C=1;
    Heat p;
    parameter Real T0=300;
    Real T(start=T0,fixed=true);
  equation
    T=p.T;
    C*der(T)=p.Q;
  end Cap;
  model Cond
    parameter Real G=1;
    Heat a,b;
  equation
    a.Q=G*(a.T-b.T);
    a.Q+b.Q=0;
  end Cond;
  model Amb
    parameter Real T=300;
    Heat p;
  equation
    p.T=T;
  end Amb;
  model Top
    Cap c(T0=400);
    Cond k;
    Amb a;
  equation
    connect(c.p,k.a);
    connect(k.b,a.p);
  end Top;
end TransMed;
