// SPDX-License-Identifier: BSD-3-Clause
// Steinebach's example 1: y' = z, 0 = y^2 + z^2 - 1; y = sin t, z = cos t. g_z = 2 z: index 1 up to
// t < pi/2, singular there.
#include <cmath>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace steinebach_1_example {
namespace {

Problem build(const Values&) {
  return SemiExplicitProblem{
      .name = "steinebach-1",
      .f = autodiff([](const auto&, const auto&, const auto& z, auto& f) { f[0] = z[0]; }),
      .g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
        g[0] = y[0] * y[0] + z[0] * z[0] - 1.0;
      }),
      .y0 = vector({0.0}),
      .z0 = vector({1.0}),
      .y_names = {"y"},
      .z_names = {"z"},
      .equations = {"differential", "circle"}};
}

}  // namespace
}  // namespace steinebach_1_example

const Entry& steinebach_1() {
  static const Entry entry = [] {
    using namespace steinebach_1_example;
    Entry e;
    e.name = "steinebach-1";
    e.title = "Unit circle with an algebraic variable; singular at t = pi/2";
    e.form = "semi-explicit";
    e.index = 1;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "Steinebach: Semi-implizite Einschrittverfahren zur numerischen Loesung "
        "differential-algebraischer Gleichungen technischer Modelle, report 29, University of "
        "Kaiserslautern (1988), example 1";
    e.suites = {"steinebach"};
    e.equations =
        "y' = z\n"
        "0 = y^2 + z^2 - 1";
    e.build = build;
    e.exact = [](double t, const Values&) { return named({"y", "z"}, {std::sin(t), std::cos(t)}); };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
