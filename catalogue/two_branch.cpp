// SPDX-License-Identifier: BSD-3-Clause
// Index-2 system on the unit circle whose implicit Euler step has two solutions: y_{n+1} = y_n with
// z = 0, which is the exact one, and y_{n+1} = -y_n with z = -1/h, from (1 + 2 h z)^2 = 1.
#include <catalogue/arnold_theory.hpp>

namespace daedalus::problems {
namespace two_branch_example {
namespace {

Problem build(const Values&) {
  return arnold::hessenberg2("two-branch",
                             autodiff([](const auto&, const auto& y, const auto& z, auto& f) {
                               f[0] = -2.0 * y[0] * z[0];
                               f[1] = -2.0 * y[1] * z[0];
                             }),
                             autodiff([](const auto&, const auto& y, const auto&, auto& g) {
                               g[0] = y[0] * y[0] + y[1] * y[1] - 1.0;
                             }),
                             vector({0.6, 0.8}), vector({0.0}));
}

}  // namespace
}  // namespace two_branch_example

const Entry& two_branch() {
  static const Entry entry = [] {
    using namespace two_branch_example;
    Entry e = arnold::entry("two-branch", "Index-2 system with a second discrete solution",
                            "semi-explicit", 2, 1.0,
                            "Remark 8; start (0.6, 0.8) chosen for this catalogue");
    e.equations =
        "y1' = -2 y1 z\n"
        "y2' = -2 y2 z\n"
        "0 = y1^2 + y2^2 - 1";
    e.build = build;
    arnold::stays(e, {"y1", "y2", "z"}, {0.6, 0.8, 0.0});
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
