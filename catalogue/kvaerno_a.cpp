// SPDX-License-Identifier: BSD-3-Clause
// Kvaerno's problem A: quasi-linear index 1, the mass matrix depends on the state.
//   y1' + y3 y2' - (y2 + 1) y3' + y1 - 1 - sin t = 0
//   (y3 + 1) y1' + y1 y2' + exp(-t) = 0
//   y1 y2 y3 - exp(-t) sin(2t) / 2 = 0;  y = (exp(-t), sin t, cos t).
#include <cmath>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace kvaerno_a_example {
namespace {

constexpr double start = -1.0;

Problem build(const Values&) {
  return MassMatrixProblem{.name = "kvaerno-a",
                           .mass = autodiff([](const auto&, const auto& y, auto& M) {
                             M(0, 0) = 1.0;
                             M(0, 1) = y[2];
                             M(0, 2) = -(y[1] + 1.0);
                             M(1, 0) = y[2] + 1.0;
                             M(1, 1) = y[0];
                             M(1, 2) = 0.0;
                             for (int j = 0; j < 3; ++j) M(2, j) = 0.0;
                           }),
                           .rhs = autodiff([](const auto& t, const auto& y, auto& f) {
                             using std::exp, std::sin;
                             const auto decay = exp(-t);
                             f[0] = 1.0 + sin(t) - y[0];
                             f[1] = -decay;
                             f[2] = y[0] * y[1] * y[2] - 0.5 * decay * sin(2.0 * t);
                           }),
                           .variable_index = {1, 1, 1},
                           .y0 = vector({std::exp(-start), std::sin(start), std::cos(start)}),
                           .index = 1,
                           .variables = numbered("y", 3),
                           .equations = {"differential 1", "differential 2", "algebraic"}};
}

}  // namespace
}  // namespace kvaerno_a_example

const Entry& kvaerno_a() {
  static const Entry entry = [] {
    using namespace kvaerno_a_example;
    Entry e;
    e.name = "kvaerno-a";
    e.title = "Quasi-linear index-1 system with state-dependent mass matrix";
    e.form = "mass-matrix";
    e.index = 1;
    e.t0 = start;
    e.t_end = 1.0;
    e.source =
        "Kvaerno: Runge-Kutta methods applied to fully implicit differential-algebraic equations "
        "of index 1, Math. Comp. 54 (1990)";
    e.suites = {"core"};
    e.equations =
        "y1' + y3 y2' - (y2 + 1) y3' = 1 + sin(t) - y1\n"
        "(y3 + 1) y1' + y1 y2' = -exp(-t)\n"
        "0 = y1 y2 y3 - exp(-t) sin(2 t) / 2";
    e.build = build;
    e.exact = [](double t, const Values&) {
      return named(numbered("y", 3), {std::exp(-t), std::sin(t), std::cos(t)});
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
