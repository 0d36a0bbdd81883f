model Str
  parameter String name="abc";
  String s = "x" + name;
  Real x(start=0,fixed=true);
  parameter Real k = if name == "abc" then 2 else 3;
equation
  der(x)=k;
end Str;
