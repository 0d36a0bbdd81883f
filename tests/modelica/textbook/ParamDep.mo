model ParamDep
  parameter Real a=2;
  parameter Real b=a^2;
  final parameter Real c=b+1;
  parameter Integer n=integer(c);
  Real x[n];
equation
  for i in 1:n loop
    x[i]=i*c;
  end for;
end ParamDep;
