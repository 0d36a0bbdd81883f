// SPDX-License-Identifier: BSD-3-Clause
// Steinebach's example 2: y1' = z y2^3 / 2, y2' = y2 z / 6, 0 = z + 6 y1 / y2^3;
// y = (exp(-3t), exp(-t)), z = -6. Errors of y1 enter z with exp(3t).
#include <cmath>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace steinebach_2_example {
namespace {

Problem build(const Values&) {
  return SemiExplicitProblem{.name = "steinebach-2",
                             .f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
                               f[0] = 0.5 * z[0] * (y[1] * y[1] * y[1]);
                               f[1] = y[1] * z[0] / 6.0;
                             }),
                             .g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
                               g[0] = z[0] + 6.0 * y[0] / (y[1] * y[1] * y[1]);
                             }),
                             .y0 = vector({1.0, 1.0}),
                             .z0 = vector({-6.0}),
                             .y_names = {"y1", "y2"},
                             .z_names = {"z"},
                             .equations = {"differential 1", "differential 2", "algebraic"}};
}

}  // namespace
}  // namespace steinebach_2_example

const Entry& steinebach_2() {
  static const Entry entry = [] {
    using namespace steinebach_2_example;
    Entry e;
    e.name = "steinebach-2";
    e.title = "Decay with a constant algebraic variable";
    e.form = "semi-explicit";
    e.index = 1;
    e.t0 = 0.0;
    e.t_end = 2.0;
    e.source =
        "Steinebach: Semi-implizite Einschrittverfahren zur numerischen Loesung "
        "differential-algebraischer Gleichungen technischer Modelle, report 29, University of "
        "Kaiserslautern (1988), example 2";
    e.suites = {"steinebach"};
    e.equations =
        "y1' = z y2^3 / 2\n"
        "y2' = y2 z / 6\n"
        "0 = z + 6 y1 / y2^3";
    e.build = build;
    e.exact = [](double t, const Values&) {
      return named({"y1", "y2", "z"}, {std::exp(-3.0 * t), std::exp(-t), -6.0});
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
