model MatVec
  parameter Integer n = 3;
  parameter Real A[n,n] = [0,1,0; -2,0,0; 0,0,-3];
  parameter Real B[:,:] = {{1,2},{3,4}};
  Real x[n](start={1,0,2}, each fixed=true);
  Real y[2] = B*{x[3], 1};
  Real s = x*x;
  Real d = A[1,:]*x;
  Real tr = sum(A[i,i] for i in 1:n);
  Real C[2,2] = B*transpose(B);
  Real nn = max(abs(x[i]) for i in 1:n);
  Real id[3,3] = identity(3) .* 2;
  Real cr[3] = cross({1,0,0},{0,1,0});
  Real K[3,3] = skew({1,2,3});
  Real col[3] = A[:,2];
  Real w[2]=x[{3,1}];
  Real e1 = x[end];
equation
  der(x) = A*x;
end MatVec;
