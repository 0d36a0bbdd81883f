// SPDX-License-Identifier: BSD-3-Clause
// An index-1 system without special structure for measuring orders: nonlinear in everything,
// coupled both ways, g_z regular on [0, 1]. Not in the report whose methods it serves: on its
// examples some elementary differentials vanish, so that a violated condition may stay unseen.
#include <cmath>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace steinebach_generic_example {
namespace {

Problem build(const Values&) {
  return SemiExplicitProblem{
      .name = "steinebach-generic",
      .f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
        using std::sin;
        f[0] = y[1] * z[0] - 0.5 * y[0] * z[1];
        f[1] = 0.5 * sin(z[1]) * y[1] - y[0] * z[0];
      }),
      .g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
        using std::cos, std::sin;
        g[0] = z[0] + 0.25 * sin(z[0] + z[1]) - y[0] * y[1];
        g[1] = z[1] + 0.25 * z[0] * z[0] - cos(y[0]) + y[1] * y[1];
      }),
      .y0 = vector({1.0, 0.5}),
      // Roots of g for this y, 25 digits.
      .z0 = vector({0.3558615636374821754195074, 0.2586429427495112733846277}),
      .y_names = {"y1", "y2"},
      .z_names = {"z1", "z2"},
      .equations = {"differential 1", "differential 2", "algebraic 1", "algebraic 2"}};
}

}  // namespace
}  // namespace steinebach_generic_example

const Entry& steinebach_generic() {
  static const Entry entry = [] {
    using namespace steinebach_generic_example;
    Entry e;
    e.name = "steinebach-generic";
    e.title = "Index-1 system without special structure";
    e.form = "semi-explicit";
    e.index = 1;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "made for this catalogue, to measure the orders of the methods of Steinebach (1988), "
        "report 29, University of Kaiserslautern";
    e.suites = {"steinebach"};
    e.equations =
        "y1' = y2 z1 - y1 z2 / 2\n"
        "y2' = -y1 z1 + sin(z2) y2 / 2\n"
        "0 = z1 + sin(z1 + z2) / 4 - y1 y2\n"
        "0 = z2 + z1^2 / 4 - cos(y1) + y2^2";
    e.build = build;
    e.reference =
        Reference{.t = 1.0,
                  .values = named({"y1", "y2", "z1", "z2"},
                                  {0.9127811836427594004478944, 0.3352318781651051597431901,
                                   0.1550532263945851638375416, 0.4931568358860564714215308}),
                  .counted = {},
                  .digits = 25,
                  .source =
                      "computed for this catalogue with 40 digits: extrapolated midpoint rule of "
                      "order 24, 8 and 12 steps agree"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
