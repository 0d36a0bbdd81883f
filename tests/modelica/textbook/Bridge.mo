package Bridge "Rectifier bridge of Shockley diodes"
  connector Pin
    Real v(unit="V");
    flow Real i(unit="A");
  end Pin;
  partial model OnePort
    Pin p;
    Pin n;
    Real v(unit="V"), i(unit="A");
  equation
    v = p.v - n.v;
    i = p.i;
    p.i + n.i = 0;
  end OnePort;
  function shockley
    input Real v; input Real Is=1e-9; input Real Vt=0.05;
    output Real i;
  protected
    Real x;
    constant Real xmax=40;
  algorithm
    x := v/Vt;
    if x > xmax then
      i := Is*(exp(xmax)*(1 + x - xmax) - 1);
    else
      i := Is*(exp(x) - 1);
    end if;
  end shockley;
  model Diode "with 100 MOhm in parallel, as catalogues have it" extends OnePort; equation i = shockley(v) + v/1e8; end Diode;
  model Resistor extends OnePort; parameter Real R=1; equation v=R*i; end Resistor;
  model Capacitor extends OnePort; parameter Real C=1; equation i=C*der(v); end Capacitor;
  model Source extends OnePort; parameter Real A=10, f=50;
  equation v=A*sin(2*3.141592653589793*f*time); end Source;
  model Ground Pin p; equation p.v=0; end Ground;
  model Circuit
    Source s; Resistor rs(R=1); Diode d[4]; Capacitor c(C=1e-3, v(start=0, fixed=true)); Resistor load(R=100); Ground g;
  equation
    connect(s.p, rs.p);
    connect(rs.n, d[1].p); connect(rs.n, d[2].n);
    connect(s.n, d[3].p); connect(s.n, d[4].n);
    connect(d[1].n, c.p); connect(d[3].n, c.p); connect(c.p, load.p);
    connect(d[2].p, c.n); connect(d[4].p, c.n); connect(load.n, c.n); connect(c.n, g.p);
    annotation(experiment(StopTime=0.035, Tolerance=1e-8));
  end Circuit;
end Bridge;
