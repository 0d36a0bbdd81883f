// SPDX-License-Identifier: BSD-3-Clause
// The pendulum of unit length released from rest in the horizontal position, as three systems
// F(t, x, x') = 0 (Tischendorf 1992, section 4.5, with gravity along x2):
//   x' = v,  v' = lambda x - gravity e2  and one of
//   index 3:  x1^2 + x2^2 = 1;      index 2:  x1 v1 + x2 v2 = 0;
//   index 2, stabilised (Gear, Gupta, Leimkuhler 1985):  x' = v + mu x and both constraints.
// The default gravity 4 K(1/2)^2 makes the period 2, so that x(1) = (-1, 0), v(1) = 0.
#pragma once

#include <cmath>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems::unit_pendulum {

struct Constants {
  double gravity = 13.750371636040746;
};
inline constexpr std::array<Field<Constants>, 1> fields{{{"gravity", &Constants::gravity}}};

// sn, cn, dn at modulus m = 1/2 by descending Landen steps of the arithmetic-geometric mean
// (Abramowitz, Stegun 1964, 16.4).
struct Jacobi {
  double sn, cn, dn;
};
inline Jacobi jacobi(double u) {
  constexpr double m = 0.5;
  constexpr int steps = 6;
  std::array<double, steps + 1> a{1.0}, c{std::sqrt(m)};
  double b = std::sqrt(1.0 - m);
  for (std::size_t i = 0; i < steps; ++i) {
    a[i + 1] = 0.5 * (a[i] + b);
    c[i + 1] = 0.5 * (a[i] - b);
    b = std::sqrt(a[i] * b);
  }
  double angle = std::ldexp(a[steps] * u, steps);
  for (std::size_t i = steps; i > 0; --i)
    angle = 0.5 * (angle + std::asin(c[i] / a[i] * std::sin(angle)));
  const double sn = std::sin(angle);
  return {sn, std::cos(angle), std::sqrt(1.0 - m * sn * sn)};
}

// x1, x2, v1, v2, lambda with the angle phi = 2 arcsin(cd(u) / sqrt 2), u = sqrt(gravity) t.
inline std::array<double, 5> exact_point(const Constants& c, double t) {
  const double rate = std::sqrt(c.gravity);
  const Jacobi j = jacobi(rate * t);
  const double cd = j.cn / j.dn, cd_rate = -0.5 * rate * j.sn / (j.dn * j.dn);
  const double sine = cd / std::sqrt(2.0), cosine = std::sqrt(1.0 - 0.5 * cd * cd);
  const double x1 = 2.0 * sine * cosine, x2 = cd * cd - 1.0;
  const double phi_rate = std::sqrt(2.0) * cd_rate / cosine;
  return {x1, x2, -x2 * phi_rate, x1 * phi_rate, 3.0 * c.gravity * x2};
}

enum class Variant { index3, index2, stabilised };

inline std::vector<std::string> names(Variant variant) {
  std::vector<std::string> list{"x1", "x2", "v1", "v2", "lambda"};
  if (variant == Variant::stabilised) list.push_back("mu");
  return list;
}

inline Problem build(Variant variant, const char* name, const Constants& c) {
  ImplicitProblem p;
  p.name = name;
  p.residual = autodiff([variant, c](const auto&, const auto& x, const auto& xp, auto& r) {
    r[0] = xp[0] - x[2];
    r[1] = xp[1] - x[3];
    r[2] = xp[2] - x[0] * x[4];
    r[3] = xp[3] - x[1] * x[4] + c.gravity;
    if (variant == Variant::index2)
      r[4] = x[0] * x[2] + x[1] * x[3];
    else
      r[4] = x[0] * x[0] + x[1] * x[1] - 1.0;
    if (variant != Variant::stabilised) return;
    r[0] -= x[0] * x[5];
    r[1] -= x[1] * x[5];
    r[5] = x[0] * x[2] + x[1] * x[3];
  });
  p.variables = names(variant);
  p.equations = {"rate of x1", "rate of x2", "rate of v1", "rate of v2",
                 variant == Variant::index2 ? "velocity constraint" : "position constraint"};
  if (variant == Variant::stabilised) p.equations.push_back("velocity constraint");
  const auto n = static_cast<Eigen::Index>(p.variables.size());
  p.y0.setZero(n);
  p.y0[0] = 1.0;
  p.yp0.setZero(n);
  p.yp0[3] = -c.gravity;
  p.variable_index.assign(p.variables.size(), 1);
  p.index = 2;
  for (std::size_t i = 4; i < p.variables.size(); ++i) p.variable_index[i] = 2;
  if (variant == Variant::index3) {
    p.variable_index = {1, 1, 2, 2, 3};
    p.index = 3;
  }
  return p;
}

inline Entry entry(Variant variant, const char* name, const char* title, const char* equations) {
  Entry e;
  e.name = name;
  e.title = title;
  e.form = "implicit";
  e.index = variant == Variant::index3 ? 3 : 2;
  e.t0 = 0.0;
  e.t_end = 1.0;
  e.source =
      "Tischendorf: Die BDF fuer nichtlineare Algebro-Differentialgleichungen vom Index 2 "
      "(1992), section 4.5";
  e.suites = {"tischendorf"};
  e.equations = equations;
  e.parameters = defaults(fields);
  e.build = [variant, name](const Values& values) {
    return build(variant, name, read(fields, values));
  };
  e.exact = [variant](double t, const Values& values) {
    const std::array<double, 5> x = exact_point(read(fields, values), t);
    std::vector<std::pair<std::string, double>> all;
    const auto list = names(variant);
    for (std::size_t i = 0; i < list.size(); ++i) all.emplace_back(list[i], i < 5 ? x[i] : 0.0);
    return all;
  };
  e.reference = exact_reference(e);
  return e;
}

}  // namespace daedalus::problems::unit_pendulum
