package Mech
  connector Flange
    Real phi;
    flow Real tau;
  end Flange;
  model Inertia
    parameter Real J=1;
    Flange a,b;
    Real phi(start=0), w(start=0);
  equation
    phi=a.phi;
    phi=b.phi;
    w=der(phi);
    J*der(w)=a.tau+b.tau;
  end Inertia;
  model Spring
    parameter Real c=1;
    Flange a,b;
  equation
    a.tau=c*(a.phi-b.phi);
    a.tau+b.tau=0;
  end Spring;
  model Gear
    parameter Real r=1;
    Flange a,b;
  equation
    a.phi=r*b.phi;
    r*a.tau+b.tau=0;
  end Gear;
  model Fixed
    Flange a;
  equation
    a.phi=0;
  end Fixed;
  model Top
    Inertia i1(J=1,phi(fixed=true,start=1),w(fixed=true));
    Gear g(r=2);
    Inertia i2(J=4);
    Spring s(c=8);
    Fixed f;
  equation
    connect(i1.b,g.a);
    connect(g.b,i2.a);
    connect(i2.b,s.a);
    connect(s.b,f.a);
  end Top;
end Mech;
