package House "Room with walls against the weather"
  connector HeatPort
    Real T(unit="K"); flow Real Q(unit="W");
  end HeatPort;
  model Weather
    parameter Real mean=280, swing=8;
    Real T = mean + swing*sin(2*3.141592653589793*time/86400);
  end Weather;
  model Wall
    outer Weather weather;
    HeatPort inside;
    parameter Integer layers=3;
    parameter Real G=20, C=5e5;
    Real T[layers](each start=285, each fixed=true);
  protected
    Real Q[layers + 1];
  equation
    Q[1] = 2*layers*G*(inside.T - T[1]);
    for i in 2:layers loop
      Q[i] = layers*G*(T[i-1] - T[i]);
    end for;
    Q[layers+1] = 2*layers*G*(T[layers] - weather.T);
    C/layers*der(T) = Q[1:layers] - Q[2:layers+1];
    inside.Q = Q[1];
  end Wall;
  model Window
    outer Weather weather;
    HeatPort inside;
    parameter Real G=15;
  equation
    inside.Q = G*(inside.T - weather.T);
  end Window;
  model Room
    HeatPort p;
    parameter Real C=1e6;
    Real T(start=290, fixed=true)=p.T;
  equation
    C*der(T)=p.Q;
  end Room;
  model Heater
    HeatPort p;
    parameter Real P=6000, low=293, high=295;
    Boolean on(start=true, fixed=true);
    Integer starts(start=0, fixed=true);
  equation
    on = (pre(on) and p.T < high) or p.T < low;
    when on then
      starts = pre(starts) + 1;
    end when;
    p.Q = -(if on then P else 0);
  end Heater;
  model Building
    inner Weather weather(swing=10);
    parameter Boolean has_window=true;
    Room room;
    Wall wall[4](G={30, 20, 30, 20}, each layers=4);
    Window window if has_window;
    Heater heater;
  equation
    for i in 1:size(wall, 1) loop
      connect(wall[i].inside, room.p);
    end for;
    connect(window.inside, room.p);
    connect(heater.p, room.p);
    annotation(experiment(StopTime=20000, Tolerance=1e-8));
  end Building;
end House;
