package IdDiode
  connector P
    Real v;
    flow Real i;
  end P;
  partial model One
    P p,n;
    Real v,i;
  equation
    v=p.v-n.v;
    i=p.i;
    p.i+n.i=0;
  end One;
  model Diode
    extends One;
    Boolean off(start=true);
    Real s;
  equation
    off = s<0;
    v = if off then s else 0;
    i = if off then 0 else s;
  end Diode;
  model R
    extends One;
    parameter Real R=1;
  equation
    v=R*i;
  end R;
  model V
    extends One;
  equation
    v=sin(6.283185307179586*time);
  end V;
  model G
    P p;
  equation
    p.v=0;
  end G;
  model Top
    V v;
    Diode d;
    R r;
    G g;
    Real q(start=0,fixed=true);
  equation
    der(q)=r.i;
    connect(v.p,d.p);
    connect(d.n,r.p);
    connect(r.n,v.n);
    connect(v.n,g.p);
  end Top;
end IdDiode;
