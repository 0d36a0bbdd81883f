model ForNest
  parameter Integer n=4, k=3;
  Real T[n,k](each start=0, each fixed=true);
  Real c[n,k];
equation
  for i in 1:n loop
    for j in 1:k loop
      der(T[i,j]) = c[i,j];
      c[i,j] = if i == j then 1 elseif i > j then 2 else 0;
    end for;
  end for;
end ForNest;
