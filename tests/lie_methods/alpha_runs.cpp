// SPDX-License-Identifier: BSD-3-Clause
#include "alpha_runs.hpp"

#include <algorithm>
#include <random>

#include "control/measure.hpp"
#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "methods/lie/engine_generalised_alpha.hpp"
#include "start/consistent.hpp"

namespace daedalus::lie_testing {
using problems::HeavyTop;

Errors alpha_errors(AlphaVariant variant, const char* formulation, int steps_per_second) {
  const auto problem = std::make_shared<const Problem>(heavy_top_problem(HeavyTop::r3xso3));
  const auto system = lower(problem, formulation, View::residual, {}, 0.0);
  State state = model_start(*system, *problem, 0.0);
  MeasureOptions tolerances;
  tolerances.rtol = 1e-10;
  tolerances.atol = Eigen::VectorXd::Constant(system->layout.tangents(), 1e-10);
  Measure measure(tolerances, system->layout);
  measure.begin(state, 1.0);
  system->prepare(state);
  StartRequest start = initial_equations(problem, *system);
  start.weight = measure.scale();
  Errors worst;
  if (make_consistent(*system, state, start).status != Status::success) return worst;
  lie_methods::AlphaSettings settings;
  settings.rho = 0.2;
  settings.wrong_sign = variant == AlphaVariant::wrong_sign;
  settings.without_bracket = variant == AlphaVariant::without_bracket;
  lie_methods::GeneralisedAlpha stepper(*system, settings);
  if (stepper.start({StartReason::begin, state, nullptr}) != Outcome::ok) return worst;
  Eigen::VectorXd exact(problems::heavy_top::size_of(HeavyTop::r3xso3));
  double t = 0.0;
  for (long n = 0; t < 0.1 - 1e-9; ++n) {
    const double h = (t < 0.05 - 1e-9 ? 1.0 : 2.0) / steps_per_second;
    const Eigen::VectorXd& weight = measure.begin(state, h);
    if (stepper.attempt({n, t, h, t + h, 2, weight}).outcome != Outcome::ok) return {};
    state.x = stepper.trial().x;
    t += h;
    stepper.commit(false);
    problems::heavy_top_exact(HeavyTop::r3xso3, t, Out(exact.data(), exact.size()));
    const auto largest = [&](int first, int count) {
      return (state.x - exact).segment(first, count).cwiseAbs().maxCoeff();
    };
    state.x.conservativeResize(exact.size());  // eta
    worst.q = std::max(worst.q, largest(0, 12));
    worst.v = std::max(worst.v, largest(12, 6));
    worst.lambda = std::max(worst.lambda, largest(18, 3));
    state.x = stepper.trial().x;
  }
  return worst;
}

std::vector<double> changing_steps(double h, int every, double least, double largest,
                                   double t_end) {
  std::mt19937 generator(7);  // raw numbers: distributions differ between standard libraries
  std::vector<double> steps;
  double t = 0.0, step = 0.5 * h;
  while (t + step < t_end) {
    steps.push_back(step);
    t += step;
    if (static_cast<int>(steps.size()) % every != 0) continue;
    const double share = static_cast<double>(generator()) / 4294967296.0;
    step = std::clamp(step * (least + share * (largest - least)), 0.1 * h, h);
  }
  return steps;
}

}  // namespace daedalus::lie_testing
