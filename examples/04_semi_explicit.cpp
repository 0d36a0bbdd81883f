// SPDX-License-Identifier: BSD-3-Clause
// 04: acid and base in a stirred tank, y' = f(t, y, z), 0 = g(t, y, z), index 1.
//
// Model    a tank with residence time T holds a weak acid; a strong base flows in. The reactions
// are
//          fast, so that the acidity follows from the balance of charges at every moment.
// Symbols  y = (a, b): total acid and base [mol/l], z = pH; K_a, K_w dissociation constants.
// Equations
//          a' = -a/T,   b' = (b_in - b)/T
//          0  = h + b - K_w/h - K_a a/(K_a + h),   h = 10^(-pH)
//
// Builds on 03 (parameters). New: SemiExplicitProblem, consistent start values: what the default
// check says about a guess, how the library solves for the algebraic variables, and how a later run
// goes on with the step this one proposes.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>

namespace {

constexpr double acid_constant = 1.8e-5, water_constant = 1e-14, inflow = 0.15;

daedalus::SemiExplicitProblem tank(double guess) {
  // [problem]
  return {.name = "tank",
          .f = daedalus::autodiff([](const auto& x, auto& f) {
            f[0] = -x.y[0] / x.p[0];
            f[1] = (inflow - x.y[1]) / x.p[0];
          }),
          .g = daedalus::autodiff([](auto, const auto& y, const auto& z, auto& g) {
            using std::exp;
            const auto h = exp(-std::log(10.0) * z[0]);
            g[0] = h + y[1] - water_constant / h - acid_constant * y[0] / (acid_constant + h);
          }),
          .y0 = Eigen::Vector2d(0.1, 0.01),
          .z0 = Eigen::VectorXd::Constant(1, guess),
          .y_names = {"acid", "base"},
          .z_names = {"pH"},
          .equations = {"rate of acid", "rate of base", "balance of charges"},
          .parameters = {{"residence_time", 10.0}}};
  // [/problem]
}

}  // namespace

int main() {
  // [check]
  const daedalus::Solution refused = daedalus::solve(tank(7.0), {0.0, 20.0});
  std::cout << refused.status() << ": " << refused.message() << '\n';
  // [/check]

  // [solve]
  const daedalus::Event neutral{.name = "neutral",
                                .when = [](const daedalus::StateView& s) { return s.z()[0] - 7.0; },
                                .direction = daedalus::Crossing::rising};
  const daedalus::Solution solution = daedalus::solve(tank(7.0), {0.0, 20.0},
                                                      {.rtol = 1e-6,
                                                       .atol = {1e-8, 1e-8, 1e-6},
                                                       .events = {neutral},
                                                       .start = daedalus::StartStrategy::solve});
  // [/solve]
  if (!solution.ok()) {
    std::cerr << solution.status() << ": " << solution.message() << '\n';
    return 1;
  }
  for (const std::string& w : solution.warnings()) std::cout << w << '\n';
  std::cout << "pH at the start " << solution.start()["pH"] << ", at the end "
            << solution.end()["pH"] << ", neutral at t = " << solution.events().front().t << '\n'
            << solution.statistics() << '\n';

  // [continue]
  daedalus::SemiExplicitProblem later = tank(7.0);
  later.y0 = solution.end().of(daedalus::VariableClass::y);
  later.z0 = solution.end().z();
  const daedalus::Solution rest =
      daedalus::solve(later, {20.0, 40.0},
                      {.rtol = 1e-6,
                       .atol = {1e-8, 1e-8, 1e-6},
                       .initial_step = solution.statistics().proposed_step});
  std::cout << rest.statistics().accepted
            << " more steps from h = " << solution.statistics().proposed_step << '\n';
  // [/continue]

  // At pH 7 acid and base are equal but for K_a/(K_a + h) = 0.994475 (and 1e-7 of h and K_w/h that
  // cancel): 0.1 e^(-t/10) 0.994475 = 0.15 - 0.14 e^(-t/10).
  const double expected = 10.0 * std::log((0.1 * 0.99447513812 + 0.14) / 0.15);
  const bool good = refused.status() == daedalus::Status::inconsistent_start &&
                    std::abs(solution.events().front().t - expected) < 1e-3 && rest.ok() &&
                    rest.statistics().accepted < solution.statistics().accepted;
  std::cout << "expected " << expected << '\n';
  return good ? 0 : 1;
}
