// SPDX-License-Identifier: BSD-3-Clause
// Index-2 system of gradient structure, y' = -g_y^T z with two constraints. Here the exact solution
// itself is not continuous in perturbations of g: theta (sin(t/eps), cos(t/eps)) moves y1(1) by
// between theta^2/(72 eps) and theta^2/(2 eps).
#include <catalogue/arnold_theory.hpp>

namespace daedalus::problems {
namespace arnold_example_11 {
namespace {

Problem build(const Values&) {
  return arnold::hessenberg2("arnold-11",
                             autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
                               f[0] = -2.0 * y[0] * z[0] - z[1];
                               f[1] = z[0];
                               f[2] = z[1];
                             }),
                             autodiff([](const auto&, const auto& y, const auto&, auto& g) {
                               g[0] = y[0] * y[0] - y[1];
                               g[1] = y[0] - y[2];
                             }),
                             vector({0.0, 0.0, 0.0}), vector({0.0, 0.0}));
}

}  // namespace
}  // namespace arnold_example_11

const Entry& arnold_11() {
  static const Entry entry = [] {
    using namespace arnold_example_11;
    Entry e = arnold::entry("arnold-11", "Index-2 system linear in z with two constraints",
                            "semi-explicit", 2, 1.0, "(2.53), Example 11");
    e.equations =
        "y1' = -2 y1 z1 - z2\n"
        "y2' = z1\n"
        "y3' = z2\n"
        "0 = y1^2 - y2\n"
        "0 = y1 - y3";
    e.build = build;
    arnold::stays(e, {"y1", "y2", "y3", "z1", "z2"}, {0.0, 0.0, 0.0, 0.0, 0.0});
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
