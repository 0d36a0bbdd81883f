// SPDX-License-Identifier: BSD-3-Clause
// Index-2 system with constant f_z = (1, 1): y depends continuously on perturbations of the
// constraint, also in a numerical solution, since y1 - y2 is conserved. Adding the hidden
// constraint as in the stabilised index-1 form turns it into arnold-10, with its extra term
// theta^2/h.
#include <catalogue/arnold_theory.hpp>

namespace daedalus::problems {
namespace arnold_example_18 {
namespace {

Problem build(const Values&) {
  return arnold::hessenberg2("arnold-18",
                             autodiff([](const auto&, const auto&, const auto& z, auto& f) {
                               f[0] = z[0];
                               f[1] = z[0];
                             }),
                             autodiff([](const auto&, const auto& y, const auto&, auto& g) {
                               g[0] = y[0] + y[1] * y[1] - 1.0;
                             }),
                             vector({0.0, 1.0}), vector({0.0}));
}

}  // namespace
}  // namespace arnold_example_18

const Entry& arnold_18() {
  static const Entry entry = [] {
    using namespace arnold_example_18;
    Entry e = arnold::entry("arnold-18", "Index-2 system that a hidden constraint makes worse",
                            "semi-explicit", 2, 1.0, "Example 18");
    e.equations =
        "y1' = z\n"
        "y2' = z\n"
        "0 = y1 + y2^2 - 1";
    e.build = build;
    arnold::stays(e, {"y1", "y2", "z"}, {0.0, 1.0, 0.0});
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
