// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/step_iteration.hpp"

#include <cmath>

namespace daedalus {
namespace {
// Faster than this an iteration that used up its corrections is on its way.
constexpr double max_rate_on_the_way = 0.9;

bool another_matrix_may_help(Outcome o) {
  return o == Outcome::newton_failed || o == Outcome::krylov_failed;
}
}  // namespace

StepIteration::StepIteration(Counter& counter, const StepIterationSettings& settings)
    : counter_(counter),
      settings_(settings),
      monitor_(settings.convergence),
      reuse_(settings.reuse) {}

Outcome StepIteration::prepare(StepEquations& equations, double alpha, bool exactly, bool old,
                               bool on_the_way, Result& result) {
  if (!old) {
    if (const Outcome o = equations.linearise(on_the_way); o != Outcome::ok) {
      reuse_.factorisation_failed();
      return result.outcome = o;
    }
    reuse_.linearised(equations.linearised_at_start());
    monitor_.matrix_changed();
  }
  if (equations.factors_fit() && reuse_.factors_serve(alpha, exactly)) return Outcome::ok;
  if (old && (!equations.factors_fit() || !reuse_.rates_carry_over(alpha))) monitor_.forget_rate();
  if (const Outcome o = equations.factorise(alpha); o != Outcome::ok) {
    reuse_.factorisation_failed();
    result.culprit = {Culprit::Kind::variable, equations.singular_column()};
    return result.outcome = o;
  }
  reuse_.factorised(alpha);
  return Outcome::ok;
}

StepIteration::Result StepIteration::iterate(StepEquations& equations, double alpha, bool fresh) {
  Result result;
  // What another alpha leaves in components that are as stiff as one step is long.
  monitor_.begin(fresh, 0.5 * std::abs(alpha / reuse_.alpha() - 1.0));
  for (;;) {
    if (result.outcome = equations.correct(); result.outcome != Outcome::ok) return result;
    counter_.now().newton_iterations += 1;
    const Correction c = equations.measure(fresh, monitor_.count() == 0);
    if (result.outcome = c.outcome; result.outcome != Outcome::ok) return result;
    const Convergence verdict = monitor_.judge(c);
    result.iterations = monitor_.count();
    result.rate = monitor_.rate();
    result.remaining = monitor_.remaining();
    result.reason = monitor_.reason();
    result.culprit = {Culprit::Kind::variable, c.worst};
    if (result.reason != ConvergenceReason::not_finite) equations.apply();
    if (verdict == Convergence::failed) {
      // Where corrections of new matrices, or of those of this very place, are rounding errors,
      // shorter steps would only have larger ones.
      const bool rests = (fresh || reuse_.here()) && monitor_.count() > 1 &&
                         result.reason != ConvergenceReason::not_finite;
      if (!rests || !equations.at_round_off()) {
        result.outcome = Outcome::newton_failed;
        return result;
      }
      result.reason = ConvergenceReason::round_off;
      result.outcome = equations.finish();
      return result;
    }
    if (verdict == Convergence::converged) result.outcome = equations.finish();
    if (verdict == Convergence::converged && result.outcome == Outcome::newton_failed)
      result.reason = ConvergenceReason::wrong_matrix;
    if (verdict != Convergence::go_on) return result;
  }
}

bool StepIteration::worth_renewing(const Result& result, bool old, int renewed) const {
  if (renewed >= settings_.max_renewed || result.reason == ConvergenceReason::not_finite)
    return false;
  if (settings_.renew_diverging) return result.outcome == Outcome::newton_failed;
  return !old && result.reason == ConvergenceReason::iterations_used_up &&
         result.rate < max_rate_on_the_way;
}

StepIteration::Result StepIteration::solve(StepEquations& equations, double alpha) {
  bool exactly = false, on_the_way = false;
  for (int renewed = 0;;) {
    const bool old = reuse_.jacobian_serves();
    Result result;
    if (const Outcome o = prepare(equations, alpha, exactly, old, on_the_way, result);
        o != Outcome::ok) {
      if (o == Outcome::matrix_singular && old) continue;
      return result;
    }
    renewed += old ? 0 : 1;
    result = iterate(equations, alpha, !old);
    if (result.outcome == Outcome::ok) {
      reuse_.converged(alpha, result.rate, result.remaining);
      return result;
    }
    const bool helps = another_matrix_may_help(result.outcome);
    if (helps && worth_renewing(result, old, renewed)) {
      on_the_way = true;
      reuse_.refresh();
    } else if (helps && old && !reuse_.here()) {
      equations.restart();
      reuse_.failed(alpha);
      exactly = true;
    } else {
      if (helps) counter_.now().newton_failures += 1;
      if (!reuse_.here()) reuse_.refresh();
      return result;
    }
  }
}

void StepIteration::archive(Archive& a) {
  reuse_.archive(a);
  monitor_.archive(a);
}

}  // namespace daedalus
