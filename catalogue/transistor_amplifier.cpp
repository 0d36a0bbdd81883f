// SPDX-License-Identifier: BSD-3-Clause
// Two-transistor amplifier: node equations M y' = f(t, y) with a constant mass matrix of rank 5,
// index 1. An exponent above 300 cannot belong to the circuit: the evaluation rejects.
#include <cmath>
#include <numbers>

#include <catalogue/support.hpp>
#include <daedalus/autodiff.hpp>

namespace daedalus::problems {
namespace transistor_amplifier_example {
namespace {

struct Constants {
  double Ub = 6.0, UF = 0.026, alpha = 0.99, beta = 1e-6, amplitude = 0.1, frequency = 100.0;
  double R0 = 1000.0, R1 = 9000.0, R2 = 9000.0, R3 = 9000.0, R4 = 9000.0, R5 = 9000.0, R6 = 9000.0,
         R7 = 9000.0, R8 = 9000.0, R9 = 9000.0;
  double C1 = 1e-6, C2 = 2e-6, C3 = 3e-6, C4 = 4e-6, C5 = 5e-6;
};
constexpr std::array<Field<Constants>, 21> fields{{{"Ub", &Constants::Ub},
                                                   {"UF", &Constants::UF},
                                                   {"alpha", &Constants::alpha},
                                                   {"beta", &Constants::beta},
                                                   {"amplitude", &Constants::amplitude},
                                                   {"frequency", &Constants::frequency},
                                                   {"R0", &Constants::R0},
                                                   {"R1", &Constants::R1},
                                                   {"R2", &Constants::R2},
                                                   {"R3", &Constants::R3},
                                                   {"R4", &Constants::R4},
                                                   {"R5", &Constants::R5},
                                                   {"R6", &Constants::R6},
                                                   {"R7", &Constants::R7},
                                                   {"R8", &Constants::R8},
                                                   {"R9", &Constants::R9},
                                                   {"C1", &Constants::C1},
                                                   {"C2", &Constants::C2},
                                                   {"C3", &Constants::C3},
                                                   {"C4", &Constants::C4},
                                                   {"C5", &Constants::C5}}};

constexpr double pi = std::numbers::pi;
constexpr double max_exponent = 300.0;

SparseMatrix mass_matrix(const Constants& c) {
  SparseMatrix M(8, 8);
  const auto coupling = [&](int i, double capacitance) {
    M.insert(i, i) = -capacitance;
    M.insert(i + 1, i) = capacitance;
    M.insert(i, i + 1) = capacitance;
    M.insert(i + 1, i + 1) = -capacitance;
  };
  coupling(0, c.C1);
  M.insert(2, 2) = -c.C2;
  coupling(3, c.C3);
  M.insert(5, 5) = -c.C4;
  coupling(6, c.C5);
  M.makeCompressed();
  return M;
}

Problem build(const Values& values) {
  const Constants c = read(fields, values);
  // Conductances and the constant currents of the supply, so that nothing is divided at run time.
  struct Circuit {
    double g0, g12, g3, g4, g56, g7, g8, g9, i2, i4, i6, i8;
    double inverse_UF, alpha, beta, amplitude, omega;
  };
  const Circuit k{.g0 = 1.0 / c.R0,
                  .g12 = 1.0 / c.R1 + 1.0 / c.R2,
                  .g3 = 1.0 / c.R3,
                  .g4 = 1.0 / c.R4,
                  .g56 = 1.0 / c.R5 + 1.0 / c.R6,
                  .g7 = 1.0 / c.R7,
                  .g8 = 1.0 / c.R8,
                  .g9 = 1.0 / c.R9,
                  .i2 = c.Ub / c.R2,
                  .i4 = c.Ub / c.R4,
                  .i6 = c.Ub / c.R6,
                  .i8 = c.Ub / c.R8,
                  .inverse_UF = 1.0 / c.UF,
                  .alpha = c.alpha,
                  .beta = c.beta,
                  .amplitude = c.amplitude,
                  .omega = 2.0 * pi * c.frequency};
  // The published start Ub/2 holds for R1 = R2, R5 = R6; in general the divider decides.
  const double first = c.Ub * c.R1 / (c.R1 + c.R2), second = c.Ub * c.R5 / (c.R5 + c.R6);
  return MassMatrixProblem{.name = "transistor-amplifier",
                           .mass_matrix = mass_matrix(c),
                           .rhs = autodiff([k](const auto& t, const auto& y, auto& f) {
                             using std::exp, std::sin;
                             const auto x23 = (y[1] - y[2]) * k.inverse_UF;
                             const auto x56 = (y[4] - y[5]) * k.inverse_UF;
                             if (x23 > max_exponent || x56 > max_exponent) return Eval::reject;
                             const auto i23 = k.beta * (exp(x23) - 1.0);
                             const auto i56 = k.beta * (exp(x56) - 1.0);
                             f[0] = (y[0] - k.amplitude * sin(k.omega * t)) * k.g0;
                             f[1] = y[1] * k.g12 - k.i2 + (1.0 - k.alpha) * i23;
                             f[2] = y[2] * k.g3 - i23;
                             f[3] = y[3] * k.g4 - k.i4 + k.alpha * i23;
                             f[4] = y[4] * k.g56 - k.i6 + (1.0 - k.alpha) * i56;
                             f[5] = y[5] * k.g7 - i56;
                             f[6] = y[6] * k.g8 - k.i8 + k.alpha * i56;
                             f[7] = y[7] * k.g9;
                             return Eval::ok;
                           }),
                           .variable_index = std::vector<int>(8, 1),
                           .y0 = vector({0.0, first, first, c.Ub, second, second, c.Ub, 0.0}),
                           .index = 1,
                           .variables = numbered("U", 8),
                           .equations = prefixed("current into node ", numbered("", 8))};
}

}  // namespace
}  // namespace transistor_amplifier_example

const Entry& transistor_amplifier() {
  static const Entry entry = [] {
    using namespace transistor_amplifier_example;
    Entry e;
    e.name = "transistor-amplifier";
    e.title = "Transistor amplifier with two transistors";
    e.form = "mass-matrix";
    e.index = 1;
    e.t0 = 0.0;
    e.t_end = 0.2;
    e.stiff = true;
    e.source =
        "Hairer, Lubich, Roche: The Numerical Solution of Differential-Algebraic Systems by "
        "Runge-Kutta Methods (1989); Mazzia, Magherini: Test Set for Initial Value Problem "
        "Solvers (2008), problem TRANSAMP";
    e.suites = {"core"};
    e.equations =
        "g(x) = beta (exp(x/UF) - 1), Ue(t) = amplitude sin(2 pi frequency t)\n"
        "-C1 (U1' - U2') = (U1 - Ue)/R0\n"
        "C1 (U1' - U2') = U2/R1 + (U2 - Ub)/R2 + (1 - alpha) g(U2 - U3)\n"
        "-C2 U3' = U3/R3 - g(U2 - U3)\n"
        "-C3 (U4' - U5') = (U4 - Ub)/R4 + alpha g(U2 - U3)\n"
        "C3 (U4' - U5') = U5/R5 + (U5 - Ub)/R6 + (1 - alpha) g(U5 - U6)\n"
        "-C4 U6' = U6/R7 - g(U5 - U6)\n"
        "-C5 (U7' - U8') = (U7 - Ub)/R8 + alpha g(U5 - U6)\n"
        "C5 (U7' - U8') = U8/R9";
    e.parameters = defaults(fields);
    e.units = units({{"V", "U1..U8 Ub UF amplitude"},
                     {"Hz", "frequency"},
                     {"A", "beta"},
                     {"Ohm", "R0..R9"},
                     {"F", "C1..C5"}});
    e.build = build;
    e.reference =
        Reference{.t = 0.2,
                  .values = named(numbered("U", 8), {-0.5562145012262709e-2, 0.3006522471903042e1,
                                                     0.2849958788608128e1, 0.2926422536206241e1,
                                                     0.2704617865010554e1, 0.2761837778393145e1,
                                                     0.4770927631616772e1, 0.1236995868091548e1}),
                  .counted = {},
                  .digits = 12,
                  .source =
                      "Test Set for Initial Value Problem Solvers, release 2.4 (2008): PSIDE with "
                      "tolerance 1e-14"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
