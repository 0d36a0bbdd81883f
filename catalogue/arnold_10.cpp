// SPDX-License-Identifier: BSD-3-Clause
// Index-2 system of gradient structure, y' = -g_y^T z with one constraint g = y1 + y2^2 - 1. The
// exact solution depends continuously on perturbations of g, a numerical one does not: alternating
// perturbations of size theta move y2 by 0.064 theta^2/h per unit of time (implicit Euler).
#include <catalogue/arnold_theory.hpp>

namespace daedalus::problems {
namespace arnold_example_10 {
namespace {

Problem build(const Values&) {
  return arnold::hessenberg2("arnold-10",
                             autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
                               f[0] = -z[0];
                               f[1] = -2.0 * y[1] * z[0];
                             }),
                             autodiff([](const auto&, const auto& y, const auto&, auto& g) {
                               g[0] = y[0] + y[1] * y[1] - 1.0;
                             }),
                             vector({0.0, 1.0}), vector({0.0}));
}

}  // namespace
}  // namespace arnold_example_10

const Entry& arnold_10() {
  static const Entry entry = [] {
    using namespace arnold_example_10;
    Entry e = arnold::entry("arnold-10", "Index-2 system linear in z with one constraint",
                            "semi-explicit", 2, 1.0, "(2.51), Example 10");
    e.equations =
        "y1' = -z\n"
        "y2' = -2 y2 z\n"
        "0 = y1 + y2^2 - 1";
    e.build = build;
    arnold::stays(e, {"y1", "y2", "z"}, {0.0, 1.0, 0.0});
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
