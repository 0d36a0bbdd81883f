// SPDX-License-Identifier: BSD-3-Clause
// The example of Gear and Petzold (1984), index 2, whose leading matrix has a kernel that turns
// with time:
//   x1 + eta t x2 = q,   x1' + eta t x2' + (1 + eta) x2 = q,   q = slope t + wave sin t.
// Exact: x2 = q - q', x1 = q - eta t x2. Applied to this form BDF of order k with constant steps
// multiply errors by the roots z of z^k + eta (z - 1)^k = 0: stable for
// -2^-k < eta < (2 cos(pi/k))^-k (k = 1, 2: no upper bound). With the properly stated leading term
// d = x1 + eta t x2 (parameter stated = 1) the second equation is d' + x2 = q, and they converge
// for every eta.
#include <cmath>

#include <fmt/format.h>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace gear_petzold_example {
namespace {

struct Constants {
  double eta = 0.05, slope = 1.0, wave = 0.0, stated = 0.0;
};
constexpr std::array<Field<Constants>, 4> fields{{{"eta", &Constants::eta},
                                                  {"slope", &Constants::slope},
                                                  {"wave", &Constants::wave},
                                                  {"stated", &Constants::stated}}};

template <class T>
T source(const Constants& c, const T& t) {
  using std::sin;
  return c.slope * t + c.wave * sin(t);
}

struct Point {
  double x1, x2, x1_rate, x2_rate, d_rate;
};
Point exact_point(const Constants& c, double t) {
  const double q = source(c, t), q1 = c.slope + c.wave * std::cos(t), q2 = -c.wave * std::sin(t);
  const double x2 = q - q1, x2_rate = q1 - q2;
  return {q - c.eta * t * x2, x2, q1 - c.eta * (x2 + t * x2_rate), x2_rate, q1};
}

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  if (c.stated != 0.0 && c.stated != 1.0)
    throw InvalidArgument(fmt::format(
        "parameter 'stated' of problem 'gear-petzold' is {}; it must be 0 or 1", c.stated));
  const Point start = exact_point(c, 0.0);
  ImplicitProblem p;
  p.name = "gear-petzold";
  p.variable_index = {2, 2};
  p.y0 = vector({start.x1, start.x2});
  p.index = 2;
  p.variables = {"x1", "x2"};
  p.equations = {"constraint", "differential"};
  if (c.stated == 0.0) {
    p.residual = autodiff([c](const auto& t, const auto& x, const auto& xp, auto& r) {
      const auto q = source(c, t);
      r[0] = x[0] + c.eta * t * x[1] - q;
      r[1] = xp[0] + c.eta * t * xp[1] + (1.0 + c.eta) * x[1] - q;
    });
    p.yp0 = vector({start.x1_rate, start.x2_rate});
    return p;
  }
  p.residual = autodiff([c](const auto& t, const auto& x, const auto& dp, auto& r) {
    const auto q = source(c, t);
    r[0] = x[0] + c.eta * t * x[1] - q;
    r[1] = dp[0] + x[1] - q;
  });
  p.leading_count = 1;
  p.leading =
      autodiff([c](const auto& t, const auto& x, auto& d) { d[0] = x[0] + c.eta * t * x[1]; });
  p.yp0 = vector({start.d_rate});
  return p;
}

}  // namespace
}  // namespace gear_petzold_example

const Entry& gear_petzold() {
  static const Entry entry = [] {
    using namespace gear_petzold_example;
    Entry e;
    e.name = "gear-petzold";
    e.title = "Linear index-2 system with a kernel that turns with time";
    e.form = "implicit";
    e.index = 2;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "Gear, Petzold: ODE methods for the solution of differential/algebraic systems, SIAM J. "
        "Numer. Anal. 21 (1984); Tischendorf: Die BDF fuer nichtlineare "
        "Algebro-Differentialgleichungen vom Index 2 (1992), section 1.3";
    e.suites = {"tischendorf"};
    e.equations =
        "q = slope t + wave sin(t), d = x1 + eta t x2\n"
        "d = q\n"
        "x1' + eta t x2' + (1 + eta) x2 = q, or with stated = 1: d' + x2 = q";
    e.parameters = defaults(fields);
    e.build = build;
    e.exact = [](double t, const Values& values) {
      const Point p = exact_point(read(fields, values), t);
      return named({"x1", "x2"}, {p.x1, p.x2});
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
