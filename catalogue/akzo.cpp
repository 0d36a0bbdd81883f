// SPDX-License-Identifier: BSD-3-Clause
// Chemical Akzo Nobel process: FLB and ZHU are mixed while carbon dioxide is added; the last
// equation is an equilibrium. Index 1. A negative y2 has no square root: the evaluation rejects.
#include <cmath>

#include <catalogue/inputs.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace akzo_example {
namespace {

struct Constants {
  double k1 = 18.7, k2 = 0.58, k3 = 0.09, k4 = 0.42, K = 34.4, klA = 3.3, Ks = 115.83, pCO2 = 0.9,
         H = 737.0;
};
constexpr std::array<Field<Constants>, 9> fields{{{"k1", &Constants::k1},
                                                  {"k2", &Constants::k2},
                                                  {"k3", &Constants::k3},
                                                  {"k4", &Constants::k4},
                                                  {"K", &Constants::K},
                                                  {"klA", &Constants::klA},
                                                  {"Ks", &Constants::Ks},
                                                  {"pCO2", &Constants::pCO2},
                                                  {"H", &Constants::H}}};

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  const double y1 = 0.444, y4 = 0.007;
  return SemiExplicitProblem{
      .name = "akzo",
      .f = autodiff([](const auto& x, auto& f) {
        using std::sqrt;
        const auto &y = x.y, &z = x.z;
        const auto &k1 = x.p[0], &k2 = x.p[1], &k3 = x.p[2], &k4 = x.p[3], &K = x.p[4],
                   &klA = x.p[5], &pCO2 = x.p[7], &H = x.p[8];
        if (y[1] < 0.0) return Eval::reject;
        const auto root = sqrt(y[1]);
        const auto square = y[0] * y[0];
        const auto r1 = k1 * square * square * root;
        const auto r2 = k2 * y[2] * y[3];
        const auto r3 = k2 / K * y[0] * y[4];
        const auto r4 = k3 * y[0] * y[3] * y[3];
        const auto r5 = k4 * z[0] * z[0] * root;
        f[0] = -2.0 * r1 + r2 - r3 - r4;
        f[1] = -0.5 * r1 - r4 - 0.5 * r5 + klA * (pCO2 / H - y[1]);
        f[2] = r1 - r2 + r3;
        f[3] = -r2 + r3 - 2.0 * r4;
        f[4] = r2 - r3 + r5;
        return Eval::ok;
      }),
      .g = autodiff([](const auto& x, auto& g) { g[0] = x.p[6] * x.y[0] * x.y[3] - x.z[0]; }),
      .y0 = vector({y1, 0.00123, 0.0, y4, 0.0}),
      .z0 = vector({c.Ks * y1 * y4}),
      .y_names = numbered("y", 5),
      .z_names = {"y6"},
      .equations = {"FLB balance", "CO2 balance", "FLBT balance", "ZHU balance", "ZLA balance",
                    "FLB.ZHU equilibrium"},
      .parameters = inputs(fields, c)};
}

}  // namespace
}  // namespace akzo_example

const Entry& akzo() {
  static const Entry entry = [] {
    using namespace akzo_example;
    Entry e;
    e.name = "akzo";
    e.title = "Chemical Akzo Nobel problem";
    e.form = "semi-explicit";
    e.index = 1;
    e.t0 = 0.0;
    e.t_end = 180.0;
    e.stiff = true;
    e.source =
        "Stortelder: Parameter Estimation in Nonlinear Dynamical Systems (1998); Mazzia, "
        "Magherini: Test Set for Initial Value Problem Solvers (2008), problem CHEMAKZO";
    e.suites = {"core"};
    e.equations =
        "r1 = k1 y1^4 sqrt(y2), r2 = k2 y3 y4, r3 = (k2/K) y1 y5, r4 = k3 y1 y4^2, "
        "r5 = k4 y6^2 sqrt(y2)\n"
        "y1' = -2 r1 + r2 - r3 - r4\n"
        "y2' = -r1/2 - r4 - r5/2 + klA (pCO2/H - y2)\n"
        "y3' = r1 - r2 + r3\n"
        "y4' = -r2 + r3 - 2 r4\n"
        "y5' = r2 - r3 + r5\n"
        "0 = Ks y1 y4 - y6\n"
        "y1..y6: FLB, CO2, FLBT, ZHU, ZLA, FLB.ZHU";
    e.parameters = defaults(fields);
    e.units = units({{"mol/l", "y1..y6"}});
    e.build = build;
    e.reference =
        Reference{.t = 180.0,
                  .values = named(numbered("y", 6), {0.1150794920661702, 0.1203831471567715e-2,
                                                     0.1611562887407974, 0.3656156421249283e-3,
                                                     0.1708010885264404e-1, 0.4873531310307455e-2}),
                  .counted = {},
                  .digits = 12,
                  .source =
                      "Test Set for Initial Value Problem Solvers, release 2.4 (2008): PSIDE with "
                      "tolerance 1e-19"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
