package Bus "A bus with a member that nothing is connected to; ports counted inside and outside"
  expandable connector Signals
    Real speed, spare;
    Boolean ready;
  end Signals;
  connector Out = output Real;
  connector In = input Real;
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Source
    Out y = 2*time;
  end Source;
  model Lag
    In u;
    Real x(start = 0, fixed = true);
  equation
    der(x) = u - x;
  end Lag;
  partial model Counted
    Pin p;
    Integer ends;
  equation
    ends = if cardinality(p) < 2 then 0 else 2;
  end Counted;
  model Voltage
    Pin p;
  equation
    p.v = 1;
  end Voltage;
  model Load
    Pin p;
  equation
    p.i = p.v;
  end Load;
  model Supplied
    extends Counted;
    Voltage source;
  equation
    connect(source.p, p);
  end Supplied;
  model Whole
    Signals bus;
    Source source;
    Lag lag;
    Supplied part;
    Load load;
    Boolean fine(start = false);
  equation
    connect(source.y, bus.speed);
    connect(bus.speed, lag.u);
    connect(part.p, load.p);
    when time > 0.5 then
      fine = true;
      assert(lag.x > 0.1, "checked at the event, not before");
    end when;
    annotation(experiment(StopTime = 1, Tolerance = 1e-8));
  end Whole;
end Bus;
