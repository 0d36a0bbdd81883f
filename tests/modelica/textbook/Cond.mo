package Cond
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model R
    parameter Real R=1;
    Pin p,n;
    parameter Boolean useHeat=false;
    output Real loss if useHeat;
  equation
    R*p.i = p.v-n.v;
    p.i+n.i=0;
    if useHeat then
      loss=p.i*(p.v-n.v);
    end if;
  end R;
  model V
    parameter Real V=1;
    Pin p,n;
  equation
    p.v-n.v=V;
    p.i+n.i=0;
  end V;
  model G
    Pin p;
  equation
    p.v=0;
  end G;
  model Top
    parameter Boolean two=true;
    V v(V=10);
    R r1(R=5,useHeat=true);
    R r2(R=5) if two;
    R r3(R=1) if not two;
    G g;
  equation
    connect(v.p,r1.p);
    connect(r1.n,v.n);
    connect(v.p,r2.p);
    connect(r2.n,v.n);
    connect(v.p,r3.p);
    connect(r3.n,v.n);
    connect(g.p,v.n);
  end Top;
end Cond;
