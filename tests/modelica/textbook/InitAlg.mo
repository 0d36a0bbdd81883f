model InitAlg
  parameter Integer n=5;
  parameter Real tab[n](each fixed=false);
  Real x(start=0,fixed=true);
initial algorithm
  for i in 1:n loop
    tab[i] := i^2;
  end for;
equation
  der(x)=sum(tab);
end InitAlg;
