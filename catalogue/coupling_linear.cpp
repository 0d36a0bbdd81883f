// SPDX-License-Identifier: BSD-3-Clause
// The contrast to the coupling example: x3 enters linearly with constant coefficients, so that
// defects delta of the constraint reach x1 as O(delta), whatever h is (Theorem 3.5), and x3 as
// O(delta / h):
//   x1' + (x2 - 1) x1 + x3 = 0,  x2' - x3 = 0,  (x2 - 1) (1 + x1) = 0;  solution (1, 1, 0).
#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace coupling_linear_example {
namespace {

Problem build(const Values&) {
  return SemiExplicitProblem{.name = "coupling-linear",
                             .f = autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
                               f[0] = (1.0 - y[1]) * y[0] - z[0];
                               f[1] = z[0];
                             }),
                             .g = autodiff([](const auto&, const auto& y, const auto&, auto& g) {
                               g[0] = (y[1] - 1.0) * (1.0 + y[0]);
                             }),
                             .hessenberg_blocks = {2},
                             .y0 = vector({1.0, 1.0}),
                             .z0 = vector({0.0}),
                             .y_names = {"x1", "x2"},
                             .z_names = {"x3"},
                             .equations = {"rate of x1", "rate of x2", "constraint"}};
}

}  // namespace
}  // namespace coupling_linear_example

const Entry& coupling_linear() {
  static const Entry entry = [] {
    using namespace coupling_linear_example;
    Entry e;
    e.name = "coupling-linear";
    e.title = "An algebraic component that enters linearly with constant coefficients";
    e.form = "semi-explicit";
    e.index = 2;
    e.t0 = 0.0;
    e.t_end = 1.0;
    e.source =
        "the class of Theorem 3.5 in Tischendorf: Die BDF fuer nichtlineare "
        "Algebro-Differentialgleichungen vom Index 2 (1992)";
    e.suites = {"tischendorf"};
    e.equations =
        "x1' = -(x2 - 1) x1 - x3\n"
        "x2' = x3\n"
        "0 = (x2 - 1) (1 + x1)";
    e.build = build;
    e.exact = [](double, const Values&) { return named({"x1", "x2", "x3"}, {1.0, 1.0, 0.0}); };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
