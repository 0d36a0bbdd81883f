package HeatExchanger "Counterflow heat exchanger of 50 cells"
  type Temperature = Real(final unit="K", displayUnit="degC", start=300, nominal=300, min=0);
  record Fluid "Constant properties"
    parameter Real cp(unit="J/(kg.K)")=4180;
    parameter Real rho(unit="kg/m3")=1000;
  end Fluid;
  function ntu "Number of transfer units"
    input Real U, A, C;
    output Real n;
  algorithm
    n := U*A/C;
  end ntu;
  connector FluidPort
    Temperature T;
    flow Real m(unit="kg/s");
  end FluidPort;
  model Exchanger
    parameter Integer n = 50;
    parameter Fluid hot, cold(cp=2000, rho=900);
    parameter Real mh(unit="kg/s")=0.5, mc(unit="kg/s")=0.8;
    parameter Real V=2e-3 "per side", UA=1500;
    parameter Temperature Th_in=360, Tc_in=290;
    Temperature Th[n](each fixed=true, each start=320), Tc[n](each fixed=true, each start=300);
    Real Q[n](each unit="W");
    output Temperature Th_out, Tc_out;
    final parameter Real Ch=mh*hot.cp, Cc=mc*cold.cp;
    final parameter Real N=ntu(U=1, A=UA, C=min(Ch, Cc));
    Real Qtotal = sum(Q);
  protected
    final parameter Real Mh=hot.rho*V/n*hot.cp, Mc=cold.rho*V/n*cold.cp;
  equation
    for i in 1:n loop
      Q[i] = UA/n*(Th[i] - Tc[i]);
      Mh*der(Th[i]) = Ch*((if i == 1 then Th_in else Th[i - 1]) - Th[i]) - Q[i];
      Mc*der(Tc[i]) = Cc*((if i == n then Tc_in else Tc[i + 1]) - Tc[i]) + Q[i];
    end for;
    Th_out = Th[n];
    Tc_out = Tc[1];
  end Exchanger;
  model Test
    extends Exchanger;
    annotation(experiment(StopTime=30, Tolerance=1e-8));
  end Test;
end HeatExchanger;
