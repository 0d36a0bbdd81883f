model Tab
  function interp
    input Real x[:];
    input Real y[size(x,1)];
    input Real u;
    output Real v;
  protected
    Integer i;
  algorithm
    i := 1;
    while i < size(x,1)-1 and u > x[i+1] loop
      i := i+1;
    end while;
    v := y[i] + (y[i+1]-y[i])*(u-x[i])/(x[i+1]-x[i]);
  end interp;
  Real v = interp({0,1,2,4},{0,10,5,5},time);
  Real x(start=0,fixed=true);
equation
  der(x)=v;
end Tab;
