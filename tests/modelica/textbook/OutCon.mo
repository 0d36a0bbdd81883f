package OutCon
  connector P
    Real v;
    flow Real i;
  end P;
  model R
    parameter Real R=1;
    P p,n;
  equation
    p.v-n.v=R*p.i;
    p.i+n.i=0;
  end R;
  model Two
    P p,n;
    R a(R=2), b(R=3);
  equation
    connect(p,a.p);
    connect(a.n,b.p);
    connect(b.n,n);
  end Two;
  model Src
    P p,n;
  equation
    p.v-n.v=10;
    p.i+n.i=0;
  end Src;
  model G
    P p;
  equation
    p.v=0;
  end G;
  model Top
    Two t;
    Src s;
    G g;
  equation
    connect(s.p,t.p);
    connect(t.n,s.n);
    connect(s.n,g.p);
  end Top;
end OutCon;
