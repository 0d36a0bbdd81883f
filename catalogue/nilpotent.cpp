// SPDX-License-Identifier: BSD-3-Clause
// Linear system N x' + x = q(t) with the nilpotent matrix N of ones above the diagonal, index m:
//   x_k + x_{k+1}' = q_k (k < m),  x_m = q_m,  q_k(t) = sin(omega t + k).
// Nothing is free: x_k = q_k - q_{k+1}' + q_{k+2}'' - ..., every method differentiates q m - 1
// times, and noise of size theta in q_m comes back as theta / h^(m-1) in x_1. Written as Hessenberg
// system of size m: y = (x_2, ..., x_m), z = x_1.
#include <numbers>

#include <catalogue/arnold_theory.hpp>

namespace daedalus::problems {
namespace nilpotent_example {
namespace {

struct Constants {
  double m = 3.0, omega = 1.0;
};
constexpr std::array<Field<Constants>, 2> fields{
    {{"m", &Constants::m}, {"omega", &Constants::omega}}};

int order(const Constants& c) { return arnold::whole("nilpotent", "m", c.m, 2, 20); }

// x_k(t); the j-th derivative of a sine is the sine a quarter of a turn further, times omega^j.
double exact(const Constants& c, int k, double t) {
  constexpr double quarter = 0.5 * std::numbers::pi;
  double sum = 0.0, factor = 1.0;
  for (int j = 0; k + j <= order(c); ++j, factor *= -c.omega)
    sum += factor * std::sin(c.omega * t + k + j + j * quarter);
  return sum;
}

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  const int m = order(c);
  SemiExplicitProblem p;
  p.name = "nilpotent";
  p.f = autodiff([c, m](const auto& t, const auto& y, const auto& z, auto& f) {
    using std::sin;
    f[0] = sin(c.omega * t + 1.0) - z[0];
    for (int i = 1; i < m - 1; ++i) f[i] = sin(c.omega * t + (i + 1.0)) - y[i - 1];
  });
  p.g = autodiff([c, m](const auto& t, const auto& y, const auto&, auto& g) {
    using std::sin;
    g[0] = y[m - 2] - sin(c.omega * t + static_cast<double>(m));
  });
  p.hessenberg_blocks.assign(static_cast<std::size_t>(m - 1), 1);
  p.y0.resize(m - 1);
  for (int k = 2; k <= m; ++k) {
    p.y0[k - 2] = exact(c, k, 0.0);
    p.y_names.push_back("x" + std::to_string(k));
  }
  p.z0 = vector({exact(c, 1, 0.0)});
  p.z_names = {"x1"};
  p.equations = numbered("row ", m);
  return p;
}

}  // namespace
}  // namespace nilpotent_example

const Entry& nilpotent() {
  static const Entry entry = [] {
    using namespace nilpotent_example;
    Entry e = arnold::entry("nilpotent", "Linear system with nilpotent matrix, index m",
                            "semi-explicit", 3, 1.0, "(1.2), Example 1");
    e.equations =
        "q_k = sin(omega t + k)\n"
        "x_(k+1)' = q_k - x_k, k = 1..m-1\n"
        "0 = x_m - q_m\n"
        "that is N x' + x = q; m from 2 to 20 is the index, methods take at most 3";
    e.parameters = defaults(fields);
    e.build = build;
    e.exact = [](double t, const Values& values) {
      const Constants c = read(fields, values);
      std::vector<std::pair<std::string, double>> x;
      for (int k = 1; k <= order(c); ++k)
        x.emplace_back("x" + std::to_string(k), nilpotent_example::exact(c, k, t));
      return x;
    };
    e.reference = exact_reference(e);
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
