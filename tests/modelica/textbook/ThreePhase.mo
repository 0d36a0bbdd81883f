package ThreePhase
  connector Pin Real v; flow Real i; end Pin;
  connector Plug parameter Integer m=3; Pin pin[m]; end Plug;
  model Source "star with a neutral"
    parameter Integer m=3;
    parameter Real V=325, f=50, phi[m]={2*3.141592653589793*(k - 1)/m for k in 1:m};
    Plug plug(m=m); Pin neutral;
  equation
    for k in 1:m loop
      plug.pin[k].v - neutral.v = V*cos(2*3.141592653589793*f*time - phi[k]);
    end for;
    neutral.i + sum(plug.pin.i) = 0;
  end Source;
  model RL
    parameter Integer m=3;
    parameter Real R[m], L[m];
    Plug a(m=m), b(m=m);
    Real i[m](each start=0);
  equation
    i = a.pin.i;
    a.pin.i + b.pin.i = zeros(m);
    a.pin.v - b.pin.v = R.*i + L.*der(i);
  end RL;
  model Star
    parameter Integer m=3;
    Plug plug(m=m); Pin neutral;
  equation
    for k in 1:m loop connect(plug.pin[k], neutral); end for;
  end Star;
  model Ground Pin p; equation p.v=0; end Ground;
  model Net "unbalanced load, neutral floating: index 2"
    Source s; RL load(R={10, 12, 15}, L={0.02, 0.03, 0.04}); Star star; Ground g;
  initial equation
    load.i[1]=0; load.i[2]=0;
  equation
    connect(s.neutral, g.p);
    connect(s.plug, load.a);
    connect(load.b, star.plug);
    annotation(experiment(StopTime=0.025, Tolerance=1e-9));
  end Net;
end ThreePhase;
