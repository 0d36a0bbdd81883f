// SPDX-License-Identifier: BSD-3-Clause
// Index-2 system in Hessenberg form, nonlinear in z, with an exact solution:
//   y1' = y1 y2^2 z^2,  y2' = y1^2 y2^2 - 3 y2^2 z,  0 = y1^2 y2 - 1;
//   y = (exp(t), exp(-2t)), z = exp(2t).
#include <catalogue/index2.hpp>
#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace index2_p1_example {
namespace {

using System = index2::First;

Problem build(const Values&) {
  const auto start = System::exact(0.0);
  return SemiExplicitProblem{
      .name = "index2-p1",
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
}  // namespace index2_p1_example

const Entry& index2_p1() {
  static const Entry entry = [] {
    using namespace index2_p1_example;
    Entry e;
    e.name = "index2-p1";
    e.title = "Index-2 system with z squared";
    e.form = "semi-explicit";
    e.index = 2;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "Jay: Convergence of Runge-Kutta methods for differential-algebraic systems of index 3, "
        "Appl. Numer. Math. 17 (1995), with z^2 in the first equation";
    e.suites = {"arnold"};
    e.equations =
        "y1' = y1 y2^2 z^2\n"
        "y2' = y1^2 y2^2 - 3 y2^2 z\n"
        "0 = y1^2 y2 - 1";
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
