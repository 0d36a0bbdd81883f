package Linear
  function solve "Gauss with row exchanges"
    input Real A[:, size(A, 1)];
    input Real b[size(A, 1)];
    output Real x[size(b, 1)];
  protected
    Integer n=size(A, 1), p;
    Real M[size(A, 1), size(A, 1) + 1]=[A, b], row[size(A, 1) + 1], f;
  algorithm
    for k in 1:n loop
      p := k;
      for i in k + 1:n loop
        if abs(M[i, k]) > abs(M[p, k]) then p := i; end if;
      end for;
      if p <> k then
        row := M[k, :]; M[k, :] := M[p, :]; M[p, :] := row;
      end if;
      for i in k + 1:n loop
        f := M[i, k]/M[k, k];
        M[i, :] := M[i, :] - f*M[k, :];
      end for;
    end for;
    for k in n:-1:1 loop
      x[k] := M[k, n + 1];
      for j in k + 1:n loop x[k] := x[k] - M[k, j]*x[j]; end for;
      x[k] := x[k]/M[k, k];
    end for;
  end solve;
  block StateSpace
    parameter Real A[:, size(A, 1)], B[size(A, 1), :], C[:, size(A, 1)];
    parameter Real x0[size(A, 1)]=zeros(size(A, 1));
    input Real u[size(B, 2)];
    output Real y[size(C, 1)];
    Real x[size(A, 1)](start=x0, each fixed=true);
  equation
    der(x)=A*x + B*u;
    y=C*x;
  end StateSpace;
  model Loop
    constant Real M[3,3]=[0, 2, 1; 1, 1, 0; 3, 0, 1];
    final parameter Real rest[3]=solve(M, {5, 3, 6});
    StateSpace s(A=[0, 1; -4, -0.5], B=[0; 1], C=[1, 0; 0, 1; 1, 1], x0={rest[1], 0});
    Real found[3]=rest;
    Real z[3]=s.y[{3, 1, 2}];
    Real w[2,2]=transpose([s.x[1], s.x[2]; 2, 3])*[1, 0; 0, 2];
  equation
    s.u={sin(time) - 0.3*s.y[1]};
    annotation(experiment(StopTime=3, Tolerance=1e-9));
  end Loop;
end Linear;
