// SPDX-License-Identifier: BSD-3-Clause
// Jay's index-2 system in Hessenberg form, with the multiplier entering nonlinearly:
//   y1' = y1 y2^2 z^2,  y2' = y1^2 y2^2 - 3 y2^2 z,  0 = y1^2 y2 - 1;
//   y = (exp(t), exp(-2t)), z = exp(2t).
#include <cmath>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace jay_nonlinear_example {
namespace {

Problem build(const Values&) {
  return SemiExplicitProblem{.name = "jay-nonlinear",
                             .f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
                               f[0] = y[0] * y[1] * y[1] * z[0] * z[0];
                               f[1] = y[1] * y[1] * (y[0] * y[0] - 3.0 * z[0]);
                             }),
                             .g = autodiff([](const auto&, const auto& y, const auto&, auto& g) {
                               g[0] = y[0] * y[0] * y[1] - 1.0;
                             }),
                             .hessenberg_blocks = {2},
                             .y0 = vector({1.0, 1.0}),
                             .z0 = vector({1.0}),
                             .y_names = {"y1", "y2"},
                             .z_names = {"z"},
                             .equations = {"differential 1", "differential 2", "constraint"}};
}

}  // namespace
}  // namespace jay_nonlinear_example

const Entry& jay_nonlinear() {
  static const Entry entry = [] {
    using namespace jay_nonlinear_example;
    Entry e;
    e.name = "jay-nonlinear";
    e.title = "Nonlinear index-2 system, multiplier enters nonlinearly";
    e.form = "semi-explicit";
    e.index = 2;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "Jay: Convergence of Runge-Kutta methods for differential-algebraic systems of index 3, "
        "Appl. Numer. Math. 17 (1995)";
    e.suites = {"core"};
    e.equations =
        "y1' = y1 y2^2 z^2\n"
        "y2' = y1^2 y2^2 - 3 y2^2 z\n"
        "0 = y1^2 y2 - 1";
    e.build = build;
    e.exact = [](double t, const Values&) {
      return named({"y1", "y2", "z"}, {std::exp(t), std::exp(-2.0 * t), std::exp(2.0 * t)});
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
