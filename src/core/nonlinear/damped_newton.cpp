// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/damped_newton.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {
// A remainder of zero cannot fall.
constexpr double smallest = 1e-300;

// The part of the correction that helps; 0: none does.
double damping_of(DampedEquations& equations, const DampedSettings& settings, Outcome& outcome) {
  const double before = equations.remainder();
  const bool near = equations.length() < settings.tolerance || equations.negligible();
  for (double damping = 1.0; damping > settings.min_damping; damping *= 0.5) {
    outcome = equations.move(damping);
    if (outcome == Outcome::callback_failed) return 0.0;
    if (outcome != Outcome::ok) continue;
    if (near || equations.remainder() <= (1.0 - settings.descent * damping) * before + smallest)
      return damping;
  }
  outcome = equations.move(0.0);
  return 0.0;
}
}  // namespace

DampedResult damped_newton(DampedEquations& equations, const DampedSettings& settings) {
  DampedResult result;
  while (result.iterations < settings.max_iterations) {
    ++result.iterations;
    if (result.outcome = equations.linearise(); result.outcome != Outcome::ok) return result;
    const double length = equations.length();
    if (!std::isfinite(length)) {
      result.outcome = Outcome::matrix_singular;
      return result;
    }
    const double damping = damping_of(equations, settings, result.outcome);
    if (result.outcome != Outcome::ok) return result;
    result.longest = std::max(result.longest, length * damping);
    if (damping == 0.0) {
      result.stuck = !(length <= settings.max_stuck);
      if (result.stuck) result.outcome = Outcome::newton_failed;
      return result;
    }
    if ((length < settings.tolerance || equations.negligible()) && equations.settled())
      return result;
  }
  result.outcome = Outcome::newton_failed;
  return result;
}

}  // namespace daedalus
