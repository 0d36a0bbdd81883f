package Replace "A plant with replaceable control and friction law"
  partial function law input Real v; output Real f; end law;
  function linear extends law; input Real c=0.5; algorithm f := c*v; end linear;
  function quadratic extends law; algorithm f := 0.2*v*abs(v); end quadratic;
  partial block Control input Real e; output Real u; end Control;
  block P extends Control; parameter Real k=3; equation u=k*e; end P;
  block PI extends Control; parameter Real k=3, T=2; Real x(start=0, fixed=true);
  equation T*der(x)=e; u=k*(e + x); end PI;
  model Plant
    replaceable function friction=linear constrainedby law;
    replaceable Control control constrainedby Control;
    parameter Real m=2, ref=1;
    Real s(start=0, fixed=true), v(start=0, fixed=true);
  equation
    der(s)=v;
    m*der(v)=control.u - friction(v);
    control.e=ref - s;
  end Plant;
  model A extends Plant(redeclare P control(k=4)); end A;
  model B extends Plant(redeclare function friction=quadratic, redeclare PI control(T=5)); end B;
  model Both
    A a; B b(m=3);
    Plant c(redeclare replaceable P control constrainedby Control, redeclare function friction=linear(c=1));
    annotation(experiment(StopTime=5, Tolerance=1e-9));
  end Both;
end Replace;
