package NestMod
  model A
    parameter Real k=1;
    B b(c(p=k));
    model B
      C c;
      model C
        parameter Real p=0;
        parameter Real q=0;
        Real y=p+10*q+time*0;
      end C;
    end B;
  end A;
  model Top
    A a(k=3);
    A d(b(c(q=2)));
    A e(b.c.q=4,k=5);
  end Top;
end NestMod;
