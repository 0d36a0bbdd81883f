package Block
  connector RealInput = input Real;
  connector RealOutput = output Real;
  partial block SISO
    RealInput u;
    RealOutput y;
  end SISO;
  block Gain
    extends SISO;
    parameter Real k=1;
  equation
    y=k*u;
  end Gain;
  block Integ
    extends SISO;
    parameter Real y0=0;
  initial equation
    y=y0;
  equation
    der(y)=u;
  end Integ;
  block Sum
    parameter Integer n=2;
    RealInput u[n];
    RealOutput y;
    parameter Real k[n]=ones(n);
  equation
    y=k*u;
  end Sum;
  block Const
    RealOutput y;
    parameter Real k;
  equation
    y=k;
  end Const;
  model Loop
    Const ref(k=1);
    Sum e(k={1,-1});
    Gain g(k=2);
    Integ i;
  equation
    connect(ref.y,e.u[1]);
    connect(e.y,g.u);
    connect(g.y,i.u);
    connect(i.y,e.u[2]);
  end Loop;
end Block;
