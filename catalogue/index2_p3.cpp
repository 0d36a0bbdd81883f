// SPDX-License-Identifier: BSD-3-Clause
// Non-autonomous index-2 system in Hessenberg form, nonlinear in z, with an exact solution:
//   y1 = sin t, y2 = exp(0.3 sin t), z = zeta = 1 + sin(t) / 2.
#include <catalogue/index2.hpp>
#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace index2_p3_example {
namespace {

using System = index2::Third;

Problem build(const Values&) {
  const auto start = System::exact(0.0);
  return SemiExplicitProblem{
      .name = "index2-p3",
      .f = autodiff(
          [](const auto& t, const auto& y, const auto& z, auto& f) { System::f(t, y, z, f); }),
      .g = autodiff([](const auto& t, const auto& y, const auto&, auto& g) { System::g(t, y, g); }),
      .hessenberg_blocks = {System::y_count},
      .y0 = vector({start.y[0], start.y[1]}),
      .z0 = vector({start.z}),
      .y_names = {"y1", "y2"},
      .z_names = {"z"},
      .equations = {"differential 1", "differential 2", "constraint"}};
}

}  // namespace
}  // namespace index2_p3_example

const Entry& index2_p3() {
  static const Entry entry = [] {
    using namespace index2_p3_example;
    Entry e;
    e.name = "index2-p3";
    e.title = "Non-autonomous index-2 system with exact solution";
    e.form = "semi-explicit";
    e.index = 2;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "manufactured for order studies of partitioned multistep methods as in Arnold (1998), "
        "section 3.3.3";
    e.suites = {"arnold"};
    e.equations =
        "zeta = 1 + sin(t) / 2\n"
        "y1' = cos t + sin(y2 - exp(0.3 sin t)) - (z^2 - zeta^2) y2\n"
        "y2' = 0.3 cos t exp(0.3 sin t) + 0.7 (y1 - sin t) + (z - zeta) (1 + y1^2)\n"
        "0 = y2 - exp(0.3 y1)";
    e.build = build;
    e.exact = [](double t, const Values&) {
      const auto x = System::exact(t);
      return named({"y1", "y2", "z"}, {x.y[0], x.y[1], x.z});
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
