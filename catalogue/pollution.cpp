// SPDX-License-Identifier: BSD-3-Clause
// Chemical part of an air pollution model: 20 species, 25 reactions, a stiff ODE.
#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace pollution_example {
namespace {

constexpr int reactions = 25;
constexpr std::array<double, reactions> rate_constants{
    .35,     .266e2, .123e5, .86e-3, .82e-3,  .15e5,  .13e-3, .24e5,   .165e5,
    .9e4,    .22e-1, .12e5,  .188e1, .163e5,  .48e7,  .35e-3, .175e-1, .1e9,
    .444e12, .124e4, .21e1,  .578e1, .474e-1, .178e4, .312e1};

std::string rate_name(std::size_t i) { return "k" + std::to_string(i + 1); }

Problem build(const Values& values) {
  std::array<double, reactions> constants = rate_constants;
  for (std::size_t i = 0; i < constants.size(); ++i)
    if (const auto found = values.find(rate_name(i)); found != values.end())
      constants[i] = found->second;
  std::vector<Parameter> rates;
  for (std::size_t i = 0; i < constants.size(); ++i) rates.push_back({rate_name(i), constants[i]});
  Eigen::VectorXd y0 = Eigen::VectorXd::Zero(20);
  y0[1] = 0.2;
  y0[3] = 0.04;
  y0[6] = 0.1;
  y0[7] = 0.3;
  y0[8] = 0.01;
  y0[16] = 0.007;
  return MassMatrixProblem{
      .name = "pollution",
      .rhs = autodiff([](const auto& x, auto& f) {
        const auto &y = x.y, &k = x.p;
        const auto r1 = k[0] * y[0];
        const auto r2 = k[1] * y[1] * y[3];
        const auto r3 = k[2] * y[4] * y[1];
        const auto r4 = k[3] * y[6];
        const auto r5 = k[4] * y[6];
        const auto r6 = k[5] * y[6] * y[5];
        const auto r7 = k[6] * y[8];
        const auto r8 = k[7] * y[8] * y[5];
        const auto r9 = k[8] * y[10] * y[1];
        const auto r10 = k[9] * y[10] * y[0];
        const auto r11 = k[10] * y[12];
        const auto r12 = k[11] * y[9] * y[1];
        const auto r13 = k[12] * y[13];
        const auto r14 = k[13] * y[0] * y[5];
        const auto r15 = k[14] * y[2];
        const auto r16 = k[15] * y[3];
        const auto r17 = k[16] * y[3];
        const auto r18 = k[17] * y[15];
        const auto r19 = k[18] * y[15];
        const auto r20 = k[19] * y[16] * y[5];
        const auto r21 = k[20] * y[18];
        const auto r22 = k[21] * y[18];
        const auto r23 = k[22] * y[0] * y[3];
        const auto r24 = k[23] * y[18] * y[0];
        const auto r25 = k[24] * y[19];
        // Reactions that use up the second species, and the seventh.
        const auto of_y2 = (r2 + r3) + (r9 + r12);
        const auto of_y7 = r4 + r5 + r6;
        f[0] = of_y2 + (r11 + r22 + r25) - (r1 + r10 + r14 + r23 + r24);
        f[1] = r1 + r21 - of_y2;
        f[2] = r1 + r17 + r19 + r22 - r15;
        f[3] = r15 - r2 - r16 - r17 - r23;
        f[4] = 2.0 * r4 + r6 + r7 + r13 + r20 - r3;
        f[5] = r3 + 2.0 * r18 - r6 - r8 - r14 - r20;
        f[6] = r13 - of_y7;
        f[7] = of_y7 + r7;
        f[8] = -r7 - r8;
        f[9] = r7 + r9 - r12;
        f[10] = r8 + r11 - r9 - r10;
        f[11] = r9;
        f[12] = r10 - r11;
        f[13] = r12 - r13;
        f[14] = r14;
        f[15] = r16 - r18 - r19;
        f[16] = -r20;
        f[17] = r20;
        f[18] = r23 + r25 - r21 - r22 - r24;
        f[19] = r24 - r25;
      }),
      .y0 = y0,
      .index = 0,
      .invariants = {{"nitrogen", autodiff([](const auto&, const auto& y, auto& sum) {
                        sum[0] = y[0] + y[1] + y[12] + y[14] + y[18] + 2.0 * y[19];
                      })},
                     {"sulphur", autodiff([](const auto&, const auto& y, auto& sum) {
                        sum[0] = y[16] + y[17];
                      })}},
      .variables = numbered("y", 20),
      .equations = prefixed("rate of ", numbered("y", 20)),
      .parameters = std::move(rates)};
}

}  // namespace
}  // namespace pollution_example

const Entry& pollution() {
  static const Entry entry = [] {
    using namespace pollution_example;
    Entry e;
    e.name = "pollution";
    e.title = "Air pollution model";
    e.form = "mass-matrix";
    e.index = 0;
    e.t0 = 0.0;
    e.t_end = 60.0;
    e.stiff = true;
    e.source =
        "Verwer: Gauss-Seidel iteration for stiff ODEs from chemical kinetics, SIAM J. Sci. "
        "Comput. 15 (1994); Mazzia, Magherini: Test Set for Initial Value Problem Solvers (2008), "
        "problem POLLU";
    e.suites = {"core"};
    e.equations =
        "r1 = k1 y1, r2 = k2 y2 y4, r3 = k3 y5 y2, r4 = k4 y7, r5 = k5 y7, r6 = k6 y7 y6, "
        "r7 = k7 y9, r8 = k8 y9 y6,\n"
        "r9 = k9 y11 y2, r10 = k10 y11 y1, r11 = k11 y13, r12 = k12 y10 y2, r13 = k13 y14, "
        "r14 = k14 y1 y6,\n"
        "r15 = k15 y3, r16 = k16 y4, r17 = k17 y4, r18 = k18 y16, r19 = k19 y16, r20 = k20 y17 y6, "
        "r21 = k21 y19,\n"
        "r22 = k22 y19, r23 = k23 y1 y4, r24 = k24 y19 y1, r25 = k25 y20\n"
        "y1' = -r1 - r10 - r14 - r23 - r24 + r2 + r3 + r9 + r11 + r12 + r22 + r25\n"
        "y2' = -r2 - r3 - r9 - r12 + r1 + r21\n"
        "y3' = -r15 + r1 + r17 + r19 + r22\n"
        "y4' = -r2 - r16 - r17 - r23 + r15\n"
        "y5' = -r3 + 2 r4 + r6 + r7 + r13 + r20\n"
        "y6' = -r6 - r8 - r14 - r20 + r3 + 2 r18\n"
        "y7' = -r4 - r5 - r6 + r13\n"
        "y8' = r4 + r5 + r6 + r7\n"
        "y9' = -r7 - r8\n"
        "y10' = -r12 + r7 + r9\n"
        "y11' = -r9 - r10 + r8 + r11\n"
        "y12' = r9\n"
        "y13' = -r11 + r10\n"
        "y14' = -r13 + r12\n"
        "y15' = r14\n"
        "y16' = -r18 - r19 + r16\n"
        "y17' = -r20\n"
        "y18' = r20\n"
        "y19' = -r21 - r22 - r24 + r23 + r25\n"
        "y20' = -r25 + r24\n"
        "y1..y20: NO2, NO, O3P, O3, HO2, OH, HCHO, CO, ALD, MEO2, C2O3, CO2, PAN, CH3O, HNO3, "
        "O1D, SO2, SO4, NO3, N2O5";
    for (std::size_t i = 0; i < rate_constants.size(); ++i)
      e.parameters.push_back({rate_name(i), rate_constants[i]});
    e.build = build;
    e.reference = Reference{
        .t = 60.0,
        .values = named(numbered("y", 20),
                        {0.5646255480022769e-1,  0.1342484130422339,    0.4139734331099427e-8,
                         0.5523140207484359e-2,  0.2018977262302196e-6, 0.1464541863493966e-6,
                         0.7784249118997964e-1,  0.3245075353396018,    0.7494013383880406e-2,
                         0.1622293157301561e-7,  0.1135863833257075e-7, 0.2230505975721359e-2,
                         0.2087162882798630e-3,  0.1396921016840158e-4, 0.8964884856898295e-2,
                         0.4352846369330103e-17, 0.6899219696263405e-2, 0.1007803037365946e-3,
                         0.1772146513969984e-5,  0.5682943292316392e-4}),
        .counted = {},
        .digits = 12,
        .source = "Test Set for Initial Value Problem Solvers, release 2.4 (2008)"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
