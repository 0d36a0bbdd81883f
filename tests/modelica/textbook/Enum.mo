model Enum
  type State = enumeration(Idle "i", Run, Stop);
  State s(start=State.Idle, fixed=true);
  Real x(start=0,fixed=true);
  parameter Real speed[State]={0.5,2,0};
  Integer i = Integer(s);
  Boolean r = s == State.Run;
algorithm
  when x > 1 and pre(s)==State.Idle then
    s := State.Run;
  elsewhen x > 3 and pre(s) == State.Run then
    s := State.Stop;
  end when;
equation
  der(x) = speed[s];
end Enum;
