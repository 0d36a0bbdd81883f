// SPDX-License-Identifier: BSD-3-Clause
// The equations of the car axis: in car_axis.cpp as they are, of index 3, and with Baumgarte's
// stabilisation in car_axis_baumgarte.cpp.
#pragma once

#include <cmath>

#include <catalogue/support_baumgarte.hpp>

namespace daedalus::problems::car_axis_example {

struct Constants {
  double L = 1.0, L0 = 0.5, eps = 1e-2, M = 10.0, r = 0.1, omega = 10.0, g = 1.0;
};
inline constexpr std::array<Field<Constants>, 7> fields{{{"L", &Constants::L},
                                                         {"L0", &Constants::L0},
                                                         {"eps", &Constants::eps},
                                                         {"M", &Constants::M},
                                                         {"r", &Constants::r},
                                                         {"omega", &Constants::omega},
                                                         {"g", &Constants::g}}};

// The driven end (xb, yb) of the axis, |(xb, yb)| = L, and its first two derivatives.
template <class S>
struct Road {
  S x, y, dx, dy, ddx, ddy;
  Road(const Constants& c, const S& t) {
    using std::cos, std::sin, std::sqrt;
    y = c.r * sin(c.omega * t);
    dy = c.r * c.omega * cos(c.omega * t);
    ddy = -(c.omega * c.omega) * y;
    x = sqrt(c.L * c.L - y * y);
    dx = -(y * dy) / x;
    ddx = -(dy * dy + y * ddy + dx * dx) / x;
  }
};

struct CarAxis {
  Constants c;
  double mass() const { return 0.5 * c.M * c.eps * c.eps; }

  template <class T, class Q, class V, class F>
  void force(const T& t, const Q& q, const V&, F& f) const {
    using std::sin, std::sqrt;
    const auto yb = c.r * sin(c.omega * t);
    const auto x = q[2] - sqrt(c.L * c.L - yb * yb);
    const auto y = q[3] - yb;
    const auto left = c.L0 / sqrt(q[0] * q[0] + q[1] * q[1]) - 1.0;
    const auto right = c.L0 / sqrt(x * x + y * y) - 1.0;
    f[0] = left * q[0];
    f[1] = left * q[1] - mass() * c.g;
    f[2] = right * x;
    f[3] = right * y - mass() * c.g;
  }

  template <class T, class Q, class Out>
  void constraint(const T& t, const Q& q, Out& g) const {
    using std::sin, std::sqrt;
    const auto yb = c.r * sin(c.omega * t);
    const auto xb = sqrt(c.L * c.L - yb * yb);
    const auto dx = q[0] - q[2];
    const auto dy = q[1] - q[3];
    g[0] = -(xb * q[0] + yb * q[1]);
    g[1] = c.L * c.L - dx * dx - dy * dy;
  }

  template <class T, class Q, class Matrix>
  void constraint_jacobian(const T& t, const Q& q, Matrix& G) const {
    using std::sin, std::sqrt;
    const auto yb = c.r * sin(c.omega * t);
    const auto dx = 2.0 * (q[0] - q[2]);
    const auto dy = 2.0 * (q[1] - q[3]);
    G(0, 0) = -sqrt(c.L * c.L - yb * yb);
    G(0, 1) = -yb;
    G(0, 2) = 0.0;
    G(0, 3) = 0.0;
    G(1, 0) = -dx;
    G(1, 1) = -dy;
    G(1, 2) = dx;
    G(1, 3) = dy;
  }

  template <class T, class Q, class Out>
  void constraint_time_derivative(const T& t, const Q& q, Out& g_t) const {
    const Road road(c, t);
    g_t[0] = -(road.dx * q[0] + road.dy * q[1]);
    g_t[1] = 0.0;
  }

  template <class T, class Q, class V, class Out>
  void acceleration_term(const T& t, const Q& q, const V& v, Out& k) const {
    const Road road(c, t);
    const auto du = v[0] - v[2];
    const auto dv = v[1] - v[3];
    k[0] = -(road.ddx * q[0] + road.ddy * q[1] + 2.0 * (road.dx * v[0] + road.dy * v[1]));
    k[1] = -2.0 * (du * du + dv * dv);
  }
};

MultibodyProblem multibody(const CarAxis& axis);

}  // namespace daedalus::problems::car_axis_example
