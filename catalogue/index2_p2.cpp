// SPDX-License-Identifier: BSD-3-Clause
// Index-2 system in Hessenberg form without closed solution, nonlinear in y and z:
//   g(y) = y1^2 + y2^2 + y3^2 + y1 y2 y3 / 5 - 1.3375, f = drift(y, z) + z grad g(y).
#include <catalogue/index2.hpp>
#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace index2_p2_example {
namespace {

using System = index2::Second;

Problem build(const Values&) {
  const auto start = System::start<double>();
  return SemiExplicitProblem{
      .name = "index2-p2",
      .f = autodiff(
          [](const auto& t, const auto& y, const auto& z, auto& f) { System::f(t, y, z, f); }),
      .g = autodiff([](const auto& t, const auto& y, const auto&, auto& g) { System::g(t, y, g); }),
      .hessenberg_blocks = {System::y_count},
      .y0 = vector({start.y[0], start.y[1], start.y[2]}),
      .z0 = vector({start.z}),
      .y_names = {"y1", "y2", "y3"},
      .z_names = {"z"},
      .equations = {"differential 1", "differential 2", "differential 3", "constraint"}};
}

}  // namespace
}  // namespace index2_p2_example

const Entry& index2_p2() {
  static const Entry entry = [] {
    using namespace index2_p2_example;
    Entry e;
    e.name = "index2-p2";
    e.title = "Index-2 system with nonlinear constraint, nonlinear in z";
    e.form = "semi-explicit";
    e.index = 2;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "constructed for order studies of half-explicit Runge-Kutta methods as in Arnold (1998), "
        "section 3.3.1";
    e.suites = {"arnold"};
    e.equations =
        "g = y1^2 + y2^2 + y3^2 + y1 y2 y3 / 5 - 1.3375\n"
        "y1' = y2 - y3 + z dg/dy1 + z^2 y2 / 4\n"
        "y2' = -y1 + y3^2 / 2 + z dg/dy2 + 0.3 y1 sin(z)\n"
        "y3' = y1 y2 - 0.3 y3 + z dg/dy3\n"
        "0 = g";
    e.build = build;
    const auto end = System::end<double>();
    e.reference =
        Reference{.t = 1.0,
                  .values = named({"y1", "y2", "y3", "z"}, {end.y[0], end.y[1], end.y[2], end.z}),
                  .counted = {},
                  .digits = 30,
                  .source =
                      "computed for this catalogue in quadruple precision by extrapolation; two "
                      "step sizes agree to 30 digits"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
