// SPDX-License-Identifier: BSD-3-Clause
// Weissinger's implicit ODE, cubic in y', with y = sqrt(t^2 + 1/2). On the solution
// dF/dy' = 2 t^3, so the start t = sqrt(1/2), y = 1 is regular.
#include <cmath>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace weissinger_example {
namespace {

constexpr double start = 0.70710678118654752440;  // sqrt(1/2)

Problem build(const Values&) {
  return ImplicitProblem{
      .name = "weissinger",
      .residual = autodiff([](const auto& t, const auto& y, const auto& yp, auto& r) {
        const auto square = y[0] * y[0];
        const auto slope = yp[0] * yp[0];
        r[0] = t * square * slope * yp[0] - square * y[0] * slope + t * (t * t + 1.0) * yp[0] -
               t * t * y[0];
      }),
      .variable_index = {1},
      .y0 = vector({1.0}),
      .yp0 = vector({start}),
      .index = 0,
      .variables = {"y"},
      .equations = {"cubic in y'"}};
}

}  // namespace
}  // namespace weissinger_example

const Entry& weissinger() {
  static const Entry entry = [] {
    using namespace weissinger_example;
    Entry e;
    e.name = "weissinger";
    e.title = "Weissinger's implicit differential equation";
    e.form = "implicit";
    e.index = 0;
    e.t0 = start;
    e.t_end = 10.0;
    e.source =
        "Weissinger, in: Collatz: The Numerical Treatment of Differential Equations (1960); "
        "Shampine: Solving 0 = F(t, y(t), y'(t)) in Matlab, J. Numer. Math. 10 (2002)";
    e.suites = {"core"};
    e.equations = "0 = t y^2 y'^3 - y^3 y'^2 + t (t^2 + 1) y' - t^2 y";
    e.build = build;
    e.exact = [](double t, const Values&) { return named({"y"}, {std::sqrt(t * t + 0.5)}); };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
