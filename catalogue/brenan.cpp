// SPDX-License-Identifier: BSD-3-Clause
// Brenan's linear index-1 system with a singular, time-dependent mass matrix:
//   y1' - t y2' + y1 - (1 + t) y2 = 0,  0 = y2 - sin t;  y = (exp(-t) + t sin t, sin t).
#include <cmath>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace brenan_example {
namespace {

Problem build(const Values&) {
  return MassMatrixProblem{.name = "brenan",
                           .mass = autodiff([](const auto& t, const auto&, auto& M) {
                             M(0, 0) = 1.0;
                             M(0, 1) = -t;
                             M(1, 0) = 0.0;
                             M(1, 1) = 0.0;
                           }),
                           .rhs = autodiff([](const auto& t, const auto& y, auto& f) {
                             using std::sin;
                             f[0] = (1.0 + t) * y[1] - y[0];
                             f[1] = sin(t) - y[1];
                           }),
                           .variable_index = {1, 1},
                           .y0 = vector({1.0, 0.0}),
                           .index = 1,
                           .variables = {"y1", "y2"},
                           .equations = {"differential", "algebraic"}};
}

}  // namespace
}  // namespace brenan_example

const Entry& brenan() {
  static const Entry entry = [] {
    using namespace brenan_example;
    Entry e;
    e.name = "brenan";
    e.title = "Linear index-1 system with time-dependent mass matrix";
    e.form = "mass-matrix";
    e.index = 1;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "Brenan, Campbell, Petzold: Numerical Solution of Initial-Value Problems in "
        "Differential-Algebraic Equations (1996), section 4.2";
    e.suites = {"core"};
    e.equations =
        "y1' - t y2' = (1 + t) y2 - y1\n"
        "0 = sin(t) - y2";
    e.build = build;
    e.exact = [](double t, const Values&) {
      return named({"y1", "y2"}, {std::exp(-t) + t * std::sin(t), std::sin(t)});
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
