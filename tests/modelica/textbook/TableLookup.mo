package TableLookup
  function interpolate "Binary search"
    input Real xs[:], ys[size(xs, 1)], x;
    output Real y; output Integer k;
  protected Integer lo=1, hi=size(xs, 1), mid;
  algorithm
    while hi - lo > 1 loop
      mid := div(lo + hi, 2);
      if xs[mid] <= x then lo := mid; else hi := mid; end if;
    end while;
    k := lo;
    y := ys[lo] + (ys[lo + 1] - ys[lo])*(x - xs[lo])/(xs[lo + 1] - xs[lo]);
  end interpolate;
  model Drag
    parameter Real xs[5]={0, 1, 2, 4, 8}, ys[5]={0, 0.5, 1.8, 5, 20};
    Real v(start=6, fixed=true), f; Integer k;
  equation
    (f, k)=interpolate(xs, ys, v);
    2*der(v)=3*cos(time) - f;
    annotation(experiment(StopTime=3, Tolerance=1e-9));
  end Drag;
end TableLookup;
