// SPDX-License-Identifier: BSD-3-Clause
// Index-2 system that is nonlinear in z for mu0 > 0 and linear for mu0 = 0, with the same solution
// (sin t, 2 sin t, cos t) for every mu0. f_zz = (0, 12 mu0 z): perturbations theta of the
// constraint appear in y as mu0 (theta/h)^2, in z as theta/h. Used with steps from 0.1 down to 1e-7
// and noise of the size of single precision in sin t.
#include <catalogue/arnold_theory.hpp>

namespace daedalus::problems {
namespace arnold_example_8 {
namespace {

struct Constants {
  double mu0 = 1.0;
};
constexpr std::array<Field<Constants>, 1> fields{{{"mu0", &Constants::mu0}}};

Problem build(const Values& values) {
  const double mu0 = read(fields, values).mu0, sine = std::sin(0.5);
  return arnold::hessenberg2(
      "arnold-8", autodiff([mu0](const auto&, const auto& y, const auto& z, auto& f) {
        using std::sqrt;
        const auto square = y[0] * y[0];
        // Beyond |y1| = 1 there is no root, at 1 none of its derivatives.
        if (square >= 1.0) return Eval::reject;
        f[0] = 4.0 * square - y[1] * y[1] + z[0] + 0.5 * (1.0 - mu0) * (sqrt(1.0 - square) - z[0]);
        f[1] = (y[0] * y[1] + 2.0 * (1.0 - mu0) * (1.0 - square) + 2.0 * mu0 * z[0] * z[0]) * z[0];
        return Eval::ok;
      }),
      autodiff([](const auto& t, const auto& y, const auto&, auto& g) {
        using std::sin;
        g[0] = 4.0 * y[0] + y[1] - 6.0 * sin(t);
      }),
      vector({sine, 2.0 * sine}), vector({std::cos(0.5)}));
}

}  // namespace
}  // namespace arnold_example_8

const Entry& arnold_8() {
  static const Entry entry = [] {
    using namespace arnold_example_8;
    Entry e = arnold::entry("arnold-8", "Index-2 system with adjustable nonlinearity in z",
                            "semi-explicit", 2, 1.0, "Example 8");
    e.t0 = 0.5;
    e.equations =
        "y1' = 4 y1^2 - y2^2 + z + (1 - mu0) (sqrt(1 - y1^2) - z) / 2\n"
        "y2' = (y1 y2 + 2 (1 - mu0) (1 - y1^2) + 2 mu0 z^2) z\n"
        "0 = 4 y1 + y2 - 6 sin(t)";
    e.parameters = defaults(fields);
    e.build = build;
    e.exact = [](double t, const Values&) {
      return named({"y1", "y2", "z"}, {std::sin(t), 2.0 * std::sin(t), std::cos(t)});
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
