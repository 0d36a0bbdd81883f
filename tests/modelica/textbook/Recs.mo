package Recs
  record Point "a point"
    Real x;
    Real y=2;
  end Point;
  record P3
    extends Point;
    Real z = 5;
  end P3;
  function dist
    input Point a;
    input Point b;
    output Real d;
  algorithm
    d := sqrt((a.x-b.x)^2 + (a.y-b.y)^2);
  end dist;
  function mid
    input Point a;
    input Point b;
    output Point c;
  algorithm
    c.x := (a.x+b.x)/2;
    c.y := (a.y+b.y)/2;
  end mid;
  model M
    parameter Point p(x=1);
    Point q(x=4,y=6);
    Point r = mid(p,q);
    P3 s(x=time);
    Real d = dist(p,q);
    Point u = Point(x=7,y=8);
    Point v=Point(3,4);
    Point arr[2] = {Point(i, 2*i) for i in 1:2};
    Real sumx = sum(arr.x);
  end M;
end Recs;
