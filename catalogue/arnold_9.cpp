// SPDX-License-Identifier: BSD-3-Clause
// Index-2 system on which the bounds for perturbations of index-2 systems are attained: y3 collects
// theta D + mu D^2, D = delta + theta/eps (or theta/h), from perturbations of frequency 1/eps in
// the other components. The unperturbed solution is zero.
#include <catalogue/arnold_theory.hpp>

namespace daedalus::problems {
namespace arnold_example_9 {
namespace {

struct Constants {
  double mu = 1.0;
};
constexpr std::array<Field<Constants>, 1> fields{{{"mu", &Constants::mu}}};

Problem build(const Values& values) {
  const double mu = read(fields, values).mu;
  return arnold::hessenberg2("arnold-9",
                             autodiff([mu](const auto&, const auto& y, const auto& z, auto& f) {
                               f[0] = z[0];
                               f[1] = z[1];
                               f[2] = y[1] * z[0] - y[0] * z[1] + mu * (z[0] * z[0] + z[1] * z[1]);
                             }),
                             autodiff([](const auto&, const auto& y, const auto&, auto& g) {
                               g[0] = y[0];
                               g[1] = y[1];
                             }),
                             vector({0.0, 0.0, 0.0}), vector({0.0, 0.0}));
}

}  // namespace
}  // namespace arnold_example_9

const Entry& arnold_9() {
  static const Entry entry = [] {
    using namespace arnold_example_9;
    Entry e = arnold::entry("arnold-9", "Index-2 system that attains the perturbation bounds",
                            "semi-explicit", 2, 1.0, "(2.50), Example 9");
    e.equations =
        "y1' = z1\n"
        "y2' = z2\n"
        "y3' = y2 z1 - y1 z2 + mu (z1^2 + z2^2)\n"
        "0 = y1\n"
        "0 = y2";
    e.parameters = defaults(fields);
    e.build = build;
    arnold::stays(e, {"y1", "y2", "y3", "z1", "z2"}, {0.0, 0.0, 0.0, 0.0, 0.0});
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
