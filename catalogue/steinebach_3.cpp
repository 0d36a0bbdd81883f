// SPDX-License-Identifier: BSD-3-Clause
// Steinebach's example 3: y1' = z1, y2' = -z2^(1/4) / 2, 0 = y1^2 + z1^2 - y2^4 / z2, 0 = z2 -
// y2^4; y = (sin t, exp(-t/2)), z = (cos t, exp(-2t)). g_z is singular at t = pi/2. A negative z2
// has no real root: the evaluation rejects.
#include <cmath>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace steinebach_3_example {
namespace {

Problem build(const Values&) {
  return SemiExplicitProblem{
      .name = "steinebach-3",
      .f = autodiff([](const auto&, const auto&, const auto& z, auto& f) {
        using std::sqrt;
        if (z[1] < 0.0) return Eval::reject;
        f[0] = z[0];
        f[1] = -0.5 * sqrt(sqrt(z[1]));
        return Eval::ok;
      }),
      .g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
        const auto square = y[1] * y[1];
        const auto fourth = square * square;
        g[0] = y[0] * y[0] + z[0] * z[0] - fourth / z[1];
        g[1] = z[1] - fourth;
      }),
      .y0 = vector({0.0, 1.0}),
      .z0 = vector({1.0, 1.0}),
      .y_names = {"y1", "y2"},
      .z_names = {"z1", "z2"},
      .equations = {"differential 1", "differential 2", "circle", "fourth power"}};
}

}  // namespace
}  // namespace steinebach_3_example

const Entry& steinebach_3() {
  static const Entry entry = [] {
    using namespace steinebach_3_example;
    Entry e;
    e.name = "steinebach-3";
    e.title = "Circle and decay, two algebraic variables; singular at t = pi/2";
    e.form = "semi-explicit";
    e.index = 1;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "Steinebach: Semi-implizite Einschrittverfahren zur numerischen Loesung "
        "differential-algebraischer Gleichungen technischer Modelle, report 29, University of "
        "Kaiserslautern (1988), example 3";
    e.suites = {"steinebach"};
    e.equations =
        "y1' = z1\n"
        "y2' = -z2^(1/4) / 2\n"
        "0 = y1^2 + z1^2 - y2^4 / z2\n"
        "0 = z2 - y2^4";
    e.build = build;
    e.exact = [](double t, const Values&) {
      return named({"y1", "y2", "z1", "z2"},
                   {std::sin(t), std::exp(-0.5 * t), std::cos(t), std::exp(-2.0 * t)});
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
