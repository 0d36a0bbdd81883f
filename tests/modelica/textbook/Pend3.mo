model Pend3
  parameter Real L=1,g=10;
  Real x(start=0.6,fixed=true), y(start=-0.8), vx(start=0,fixed=true), vy, F;
  Real E;
equation
  der(x)=vx;
  der(y)=vy;
  der(vx)=-x*F;
  der(vy)=-y*F-g;
  x^2+y^2=L^2;
  E = 0.5*(vx^2+vy^2)+g*y;
end Pend3;
