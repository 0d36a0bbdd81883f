// SPDX-License-Identifier: BSD-3-Clause
// Three small index-2 systems y' = f(t, y, z), 0 = g(t, y) in Hessenberg form for order studies.
// f and g are templates over the number type: double, dual numbers, Taylor series, and long double
// where an order study would meet the rounding of double.
//   first   nonlinear in z, exact solution (exp(t), exp(-2t)), exp(2t); errors cancel on coarse
//           grids, observed orders there may lie above the order of the method;
//   second  three components, nonlinear in z and in the constraint, no closed solution;
//   third   non-autonomous, manufactured, exact solution for multistep methods to start from.
#pragma once

#include <array>
#include <cmath>
#include <type_traits>

namespace daedalus::problems::index2 {

// Constants are exact to the precision of the number type: 0.3 as a double would shift a solution
// in long double by 1e-17.
template <class S>
using Constant = std::conditional_t<std::is_floating_point_v<S>, S, double>;
template <class S>
constexpr Constant<S> ratio(int numerator, int denominator) {
  return static_cast<Constant<S>>(numerator) / static_cast<Constant<S>>(denominator);
}

template <class S, std::size_t NY>
struct State {
  std::array<S, NY> y;
  S z;
};

struct First {
  static constexpr int y_count = 2;

  template <class T, class Y, class Z, class F>
  static void f(const T&, const Y& y, const Z& z, F& out) {
    const auto y2 = y[1] * y[1];
    out[0] = y[0] * y2 * z[0] * z[0];
    out[1] = y2 * (y[0] * y[0] - 3.0 * z[0]);
  }
  template <class T, class Y, class G>
  static void g(const T&, const Y& y, G& out) {
    out[0] = y[0] * y[0] * y[1] - 1.0;
  }
  template <class S>
  static State<S, 2> exact(const S& t) {
    using std::exp;
    return {{exp(t), exp(-2 * t)}, exp(2 * t)};
  }
};

struct Second {
  static constexpr int y_count = 3;

  template <class T, class Y, class Z, class F>
  static void f(const T&, const Y& y, const Z& z, F& out) {
    using std::sin;
    using S = std::decay_t<decltype(out[0])>;
    const S normal0 = 2.0 * y[0] + y[1] * y[2] * ratio<S>(1, 5);
    const S normal1 = 2.0 * y[1] + y[0] * y[2] * ratio<S>(1, 5);
    const S normal2 = 2.0 * y[2] + y[0] * y[1] * ratio<S>(1, 5);
    out[0] = y[1] - y[2] + normal0 * z[0] + 0.25 * (z[0] * z[0] * y[1]);
    out[1] = 0.5 * (y[2] * y[2]) - y[0] + normal1 * z[0] + ratio<S>(3, 10) * (y[0] * S(sin(z[0])));
    out[2] = y[0] * y[1] - ratio<S>(3, 10) * y[2] + normal2 * z[0];
  }
  template <class T, class Y, class G>
  static void g(const T&, const Y& y, G& out) {
    using S = std::decay_t<decltype(out[0])>;
    out[0] = y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[0] * y[1] * y[2] * ratio<S>(1, 5) -
             ratio<S>(107, 80);
  }
  template <class S>
  static State<S, 3> start() {
    return {{S(1), S(1) / 2, S(1) / 4}, S(0.0434600680184952502625097325377L)};
  }
  // The solution at t = 1: extrapolated in quadruple precision, two step sizes agree to 30 digits.
  template <class S>
  static State<S, 3> end() {
    return {{S(1.03280879191406316822867988969L), S(-0.460286926399790831940082098319L),
             S(0.294928987576967449562578042607L)},
            S(0.20051666940326709871653611071L)};
  }
};

struct Third {
  static constexpr int y_count = 2;

  template <class T, class Y, class Z, class F>
  static void f(const T& t, const Y& y, const Z& z, F& out) {
    using std::cos, std::exp, std::sin;
    using S = std::decay_t<decltype(out[0])>;
    const T sine = sin(t), cosine = cos(t), growth = exp(ratio<S>(3, 10) * sine);
    const T zeta = 1.0 + 0.5 * sine;
    out[0] = cosine + sin(S(y[1] - growth)) - (z[0] * z[0] - zeta * zeta) * y[1];
    out[1] = ratio<S>(3, 10) * (cosine * growth) + ratio<S>(7, 10) * (y[0] - sine) +
             (z[0] - zeta) * (1.0 + y[0] * y[0]);
  }
  template <class T, class Y, class G>
  static void g(const T&, const Y& y, G& out) {
    using std::exp;
    using S = std::decay_t<decltype(out[0])>;
    out[0] = y[1] - exp(S(ratio<S>(3, 10) * y[0]));
  }
  template <class S>
  static State<S, 2> exact(const S& t) {
    using std::exp, std::sin;
    const S sine = sin(t);
    return {{sine, exp(ratio<S>(3, 10) * sine)}, 1 + sine / 2};
  }
};

}  // namespace daedalus::problems::index2
