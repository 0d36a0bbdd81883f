model EventAtEnd "the event lies within rounding of the end of the run"
  Real x(start = -1, fixed = true);
  Real w;
equation
  der(x) = 1;
  w = if x < 0 then -x else x;
end EventAtEnd;
