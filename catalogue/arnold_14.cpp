// SPDX-License-Identifier: BSD-3-Clause
// Model problem for Baumgarte's stabilisation of index 2, here without it: y1' = y2' = z,
// 0 = y1 + y2. Stabilised, 0 = (y1' + y2')/alpha + y1 + y2 has index 1 for every alpha, but its
// sensitivity to perturbations of the constraint grows at least like sqrt(alpha)/12.
#include <catalogue/arnold_theory.hpp>

namespace daedalus::problems {
namespace arnold_example_14 {
namespace {

struct Constants {
  double y10 = 1.0;
};
constexpr std::array<Field<Constants>, 1> fields{{{"y10", &Constants::y10}}};

Problem build(const Values& values) {
  const double y10 = read(fields, values).y10;
  return arnold::hessenberg2(
      "arnold-14", autodiff([](const auto&, const auto&, const auto& z, auto& f) {
        f[0] = z[0];
        f[1] = z[0];
      }),
      autodiff([](const auto&, const auto& y, const auto&, auto& g) { g[0] = y[0] + y[1]; }),
      vector({y10, -y10}), vector({0.0}));
}

}  // namespace
}  // namespace arnold_example_14

const Entry& arnold_14() {
  static const Entry entry = [] {
    using namespace arnold_example_14;
    Entry e = arnold::entry("arnold-14", "Model problem for Baumgarte's stabilisation of index 2",
                            "semi-explicit", 2, 1.0, "(2.86), Example 14");
    e.equations =
        "y1' = z\n"
        "y2' = z\n"
        "0 = y1 + y2\n"
        "start: y1 = y10, y2 = -y10";
    e.parameters = defaults(fields);
    e.build = build;
    e.exact = [](double, const Values& values) {
      const double y10 = read(fields, values).y10;
      return named({"y1", "y2", "z"}, {y10, -y10, 0.0});
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
