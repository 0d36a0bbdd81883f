// SPDX-License-Identifier: BSD-3-Clause
// Numbers with 113 bits for order studies of high order: errors below 1e-18 are rounding errors of
// z in long double, since z is magnified by 1/h. Arithmetic is the compiler's; the functions are
// Taylor series, enough for arguments of moderate size.
#pragma once

#include <limits>

namespace daedalus::plmsm {

class Quadruple {
 public:
#if defined(__SIZEOF_FLOAT128__)
  __extension__ typedef __float128 Base;
#else
  using Base = long double;
#endif

  Quadruple() = default;
  Quadruple(double x) : x_(x) {}  // NOLINT: constants of formulas
  Quadruple(int x) : x_(x) {}     // NOLINT
  explicit operator double() const { return static_cast<double>(x_); }

  Quadruple& operator+=(Quadruple y) { return x_ += y.x_, *this; }
  Quadruple& operator-=(Quadruple y) { return x_ -= y.x_, *this; }
  Quadruple& operator*=(Quadruple y) { return x_ *= y.x_, *this; }
  Quadruple& operator/=(Quadruple y) { return x_ /= y.x_, *this; }
  friend Quadruple operator+(Quadruple x, Quadruple y) { return x += y; }
  friend Quadruple operator-(Quadruple x, Quadruple y) { return x -= y; }
  friend Quadruple operator*(Quadruple x, Quadruple y) { return x *= y; }
  friend Quadruple operator/(Quadruple x, Quadruple y) { return x /= y; }
  friend Quadruple operator-(Quadruple x) { return Quadruple(0) - x; }
  friend bool operator<(Quadruple x, Quadruple y) { return x.x_ < y.x_; }
  friend bool operator>(Quadruple x, Quadruple y) { return x.x_ > y.x_; }
  friend bool operator!=(Quadruple x, Quadruple y) { return x.x_ != y.x_; }

  friend Quadruple abs(Quadruple x) { return x < 0 ? -x : x; }
  friend Quadruple sqrt(Quadruple x) {
    if (!(x > 0)) return Quadruple(0);
    Quadruple y(static_cast<double>(x) > 1e-300 ? static_cast<double>(x) : 1e-300);
    for (int i = 0; i < 60; ++i) y = (y + x / y) / 2;
    return y;
  }
  friend Quadruple exp(Quadruple x) {
    // exp(x) = exp(x / 2^s)^(2^s) with a small argument.
    int halvings = 0;
    while (abs(x) > 0.25 && halvings < 20) x /= 2, ++halvings;
    Quadruple term = 1, sum = 1;
    for (int n = 1; n < 30 && abs(term) > smallest; ++n) sum += term *= x / n;
    for (; halvings > 0; --halvings) sum *= sum;
    return sum;
  }
  friend Quadruple sin(Quadruple x) { return series(x, x, 1); }
  friend Quadruple cos(Quadruple x) { return series(x, 1, 0); }

 private:
  static constexpr double smallest = 1e-37;  // beside numbers of order one
  static Quadruple series(Quadruple x, Quadruple term, int n) {
    Quadruple sum = term;
    const Quadruple square = -(x * x);
    for (int i = 0; i < 40 && abs(term) > smallest; ++i, n += 2)
      sum += term *= square / ((n + 1) * (n + 2));
    return sum;
  }

  Base x_ = 0;
};

}  // namespace daedalus::plmsm

template <>
class std::numeric_limits<daedalus::plmsm::Quadruple> {
 public:
  static daedalus::plmsm::Quadruple epsilon() {
    daedalus::plmsm::Quadruple e = 1;
    while (daedalus::plmsm::Quadruple(1) + e / 2 != daedalus::plmsm::Quadruple(1)) e /= 2;
    return e;
  }
};
