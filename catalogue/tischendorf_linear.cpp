// SPDX-License-Identifier: BSD-3-Clause
// Linear index-2 system with constant kernel span(1, 1) and without degrees of freedom:
//   t x1' - t x2' - (t + 1) x1 + x2 = 0,  x1' - x2' - x1 = -(t + 1);  x = (-t, t^2).
// P x = (0, x2 - x1) with the constraint x2 - x1 = t (t + 1). BDF of order 2 and more are exact;
// implicit Euler is wrong by the current step size in both variables, so that estimates jump with
// each change of the step.
#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace tischendorf_linear_example {
namespace {

Problem build(const Values&) {
  return ImplicitProblem{
      .name = "tischendorf-linear",
      .residual = autodiff([](const auto& t, const auto& x, const auto& xp, auto& r) {
        r[0] = t * (xp[0] - xp[1]) - (t + 1.0) * x[0] + x[1];
        r[1] = xp[0] - xp[1] - x[0] + (t + 1.0);
      }),
      .variable_index = {2, 2},
      .y0 = vector({1.0, 1.0}),
      .yp0 = vector({-1.0, -2.0}),
      .index = 2,
      .variables = {"x1", "x2"},
      .equations = {"first", "second"}};
}

}  // namespace
}  // namespace tischendorf_linear_example

const Entry& tischendorf_linear() {
  static const Entry entry = [] {
    using namespace tischendorf_linear_example;
    Entry e;
    e.name = "tischendorf-linear";
    e.title = "Linear index-2 system in which error tests of algebraic components mislead";
    e.form = "implicit";
    e.index = 2;
    e.t0 = -1.0;
    e.t_end = 1.0;
    e.source =
        "Tischendorf: Die BDF fuer nichtlineare Algebro-Differentialgleichungen vom Index 2 "
        "(1992), section 4.5";
    e.suites = {"tischendorf"};
    e.equations =
        "t x1' - t x2' - (t + 1) x1 + x2 = 0\n"
        "x1' - x2' - x1 = -(t + 1)";
    e.build = build;
    e.exact = [](double t, const Values&) { return named({"x1", "x2"}, {-t, t * t}); };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
