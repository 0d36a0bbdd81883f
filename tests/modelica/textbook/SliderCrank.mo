package SliderCrank "Planar linkage with connectors: index 3"
  connector Frame Real r[2]; Real phi; flow Real f[2]; flow Real t; end Frame;
  model World Frame b; equation b.r={0, 0}; b.phi=0; end World;
  model Bar
    Frame a, b; parameter Real m=1, L=1, J=m*L^2/12;
    Real r[2], v[2], phi, w; outer Real g;
  protected
    Real e[2];
  equation
    phi=a.phi; phi=b.phi;
    e=L/2*{cos(phi), sin(phi)};
    r=a.r + e; b.r=r + e;
    v=der(r); w=der(phi);
    m*der(v)=a.f + b.f + {0, -m*g};
    J*der(w)=a.t + b.t + e[1]*(b.f[2] - a.f[2]) - e[2]*(b.f[1] - a.f[1]);
  end Bar;
  model Hinge
    Frame a, b;
  equation
    a.r=b.r; a.f + b.f={0, 0}; a.t=0; b.t=0;
  end Hinge;
  model Guide "along x"
    Frame a; parameter Real m=1; Real x, v;
  equation
    a.r={x, 0}; a.phi=0; v=der(x); m*der(v)=a.f[1];
  end Guide;
  model Crank
    inner Real g=9.81;
    World world; Hinge h1, h2, h3; Bar crank(L=0.3, m=2), rod(L=0.8, m=1.5, phi(start=-0.2)); Guide ram(m=3);
  initial equation
    crank.phi=0.7; crank.w=4;
  equation
    connect(world.b, h1.a); connect(h1.b, crank.a); connect(crank.b, h2.a); connect(h2.b, rod.a);
    connect(rod.b, h3.a); connect(h3.b, ram.a);
    annotation(experiment(StopTime=2, Tolerance=1e-8));
  end Crank;
end SliderCrank;
