package Index2C
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  partial model OnePort
    Pin p,n;
    Real v,i;
  equation
    v=p.v-n.v;
    0=p.i+n.i;
    i=p.i;
  end OnePort;
  model C
    extends OnePort;
    parameter Real C=1;
  equation
    C*der(v)=i;
  end C;
  model R
    extends OnePort;
    parameter Real R=1;
  equation
    v=R*i;
  end R;
  model V
    extends OnePort;
  equation
    v=sin(time);
  end V;
  model G
    Pin p;
  equation
    p.v=0;
  end G;
  model Top
    V v;
    C c1, c2(C=2);
    R r;
    G g;
  equation
    connect(v.p,c1.p);
    connect(c1.n,v.n);
    connect(v.p,r.p);
    connect(r.n,c2.p);
    connect(c2.n,v.n);
    connect(v.n,g.p);
  initial equation
    c2.v=0;
  end Top;
end Index2C;
