model EachFin
  model A
    parameter Real a=1;
    parameter Real b[2]={1,2};
    Real x(start=0,fixed=true);
  equation
    der(x)=a+b[1]+b[2];
  end A;
  A u[3](each a=2, b={{i,2*i} for i in 1:3});
  A w[2](a={5,6});
end EachFin;
