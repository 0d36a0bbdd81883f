// SPDX-License-Identifier: BSD-3-Clause
// HIRES: high irradiance responses of photomorphogenesis on the basis of phytochrome, eight
// reactants, a stiff ODE; y7 + y8 is constant.
#include <catalogue/inputs.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace hires_example {
namespace {

struct Constants {
  double k1 = 1.71, k2 = 0.43, k3 = 8.32, k4 = 0.69, k5 = 0.035, k6 = 8.32, k_plus = 280.0,
         k_minus = 0.69, k_star = 0.69, oks = 0.0007;
};
constexpr std::array<Field<Constants>, 10> fields{{{"k1", &Constants::k1},
                                                   {"k2", &Constants::k2},
                                                   {"k3", &Constants::k3},
                                                   {"k4", &Constants::k4},
                                                   {"k5", &Constants::k5},
                                                   {"k6", &Constants::k6},
                                                   {"k_plus", &Constants::k_plus},
                                                   {"k_minus", &Constants::k_minus},
                                                   {"k_star", &Constants::k_star},
                                                   {"oks", &Constants::oks}}};

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  return MassMatrixProblem{
      .name = "hires",
      .rhs = autodiff([](const auto& x, auto& f) {
        const auto& y = x.y;
        const auto &k1 = x.p[0], &k2 = x.p[1], &k3 = x.p[2], &k4 = x.p[3], &k5 = x.p[4],
                   &k6 = x.p[5], &k_plus = x.p[6], &k_minus = x.p[7], &k_star = x.p[8],
                   &oks = x.p[9];
        const auto binding = k_plus * y[5] * y[7];
        f[0] = k2 * y[1] + k6 * y[2] - k1 * y[0] + oks;
        f[1] = k1 * y[0] - (k2 + k3) * y[1];
        f[2] = k2 * y[3] + k5 * y[4] - (k6 + k1) * y[2];
        f[3] = k3 * y[1] + k1 * y[2] - (k4 + k2) * y[3];
        f[4] = k2 * (y[5] + y[6]) - (k1 + k5) * y[4];
        f[5] = k4 * y[3] + k1 * y[4] - k2 * y[5] + k_minus * y[6] - binding;
        f[6] = binding - (k2 + k_minus + k_star) * y[6];
        f[7] = -f[6];
      }),
      .y0 = vector({1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057}),
      .index = 0,
      .invariants = {{"y7 + y8", autodiff([](const auto&, const auto& y, auto& sum) {
                        sum[0] = y[6] + y[7];
                      })}},
      .variables = numbered("y", 8),
      .equations = prefixed("rate of ", numbered("y", 8)),
      .parameters = inputs(fields, c)};
}

}  // namespace
}  // namespace hires_example

const Entry& hires() {
  static const Entry entry = [] {
    using namespace hires_example;
    Entry e;
    e.name = "hires";
    e.title = "High irradiance responses";
    e.form = "mass-matrix";
    e.index = 0;
    e.t0 = 0.0;
    e.t_end = 321.8122;
    e.stiff = true;
    e.source =
        "Schaefer: A new approach to explain the high irradiance responses of photomorphogenesis "
        "on the basis of phytochrome, J. Math. Biology 2 (1975); Mazzia, Magherini: Test Set for "
        "Initial Value Problem Solvers (2008), problem HIRES";
    e.suites = {"core"};
    e.equations =
        "y1' = -k1 y1 + k2 y2 + k6 y3 + oks\n"
        "y2' = k1 y1 - (k2 + k3) y2\n"
        "y3' = -(k6 + k1) y3 + k2 y4 + k5 y5\n"
        "y4' = k3 y2 + k1 y3 - (k4 + k2) y4\n"
        "y5' = -(k1 + k5) y5 + k2 (y6 + y7)\n"
        "y6' = k4 y4 + k1 y5 - k2 y6 + k_minus y7 - k_plus y6 y8\n"
        "y7' = k_plus y6 y8 - (k2 + k_minus + k_star) y7\n"
        "y8' = -y7'";
    e.parameters = defaults(fields);
    e.build = build;
    e.reference =
        Reference{.t = 321.8122,
                  .values = named(numbered("y", 8), {0.7371312573325668e-3, 0.1442485726316185e-3,
                                                     0.5888729740967575e-4, 0.1175651343283149e-2,
                                                     0.2386356198831331e-2, 0.6238968252742796e-2,
                                                     0.2849998395185769e-2, 0.2850001604814231e-2}),
                  .counted = {},
                  .digits = 12,
                  .source = "Test Set for Initial Value Problem Solvers, release 2.4 (2008)"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
