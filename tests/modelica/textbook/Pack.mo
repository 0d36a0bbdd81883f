package Pack
  package Constants
    constant Real pi=2*Modelica_.asin1;
    constant Real c = 3;
  end Constants;
  package Modelica_
    constant Real asin1 = asin(1.0);
  end Modelica_;
  package Units
    type Voltage = Real(unit="V", final quantity="ElectricPotential");
    type Current = Real(unit="A");
  end Units;
  package Parts
    import U = Pack.Units;
    import Pack.Constants.pi;
    import Pack.Constants.*;
    model Osc
      parameter Real f=1;
      U.Voltage v(start=0,fixed=true);
      Real w(start=1,fixed=true);
    protected
      parameter Real om = 2*pi*f;
      constant Real cc=c;
    equation
      der(v)=om*w;
      der(w)=-om*v;
    end Osc;
  end Parts;
  model Top
    extends Parts.Osc(f=0.25);
    Parts.Osc o(f=0.5);
    Real k = 2*o.v;
  end Top;
end Pack;
