package Rocket
  record Stage "structure, fuel, thrust, exhaust speed"
    parameter Real ms=100, mf=900, F=30000, ve=2500;
  end Stage;
  model Flight
    parameter Integer n=3;
    parameter Stage stage[n]={Stage(300, 2700, 60000, 2500), Stage(mf=900, ve=2800), Stage(30, 270, 8000, 3000)};
    parameter Real payload=50;
    Real m(start=payload + sum(stage.ms) + sum(stage.mf), fixed=true);
    Real v(start=0, fixed=true), fuel(start=stage[1].mf, fixed=true);
    Integer k(start=1, fixed=true);
    Boolean burning(start=true, fixed=true);
    Real F, rate;
  equation
    F = if burning then stage[k].F else 0;
    rate = if burning then stage[k].F/stage[k].ve else 0;
    der(fuel) = -rate;
    der(m) = -rate;
    m*der(v) = F;
    when fuel <= 0 then
      k = min(pre(k) + 1, n);
      burning = pre(k) < n;
      reinit(fuel, if pre(k) < n then stage[k].mf else 1);
      reinit(m, m - stage[pre(k)].ms);
    end when;
    annotation(experiment(StopTime=400, Tolerance=1e-9));
  end Flight;
end Rocket;
