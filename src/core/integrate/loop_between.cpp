// SPDX-License-Identifier: BSD-3-Clause
// Values between the steps meet the tolerance, or the step is shortened.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "integrate/loop.hpp"

namespace daedalus {

namespace {

// In units of the tolerance, largest variable: the end of a step is as far off as the root mean
// square allows, and the estimate of the inside is on the safe side.
constexpr double max_error = 3.0;

}  // namespace

bool Loop::tests_all() const {
  const ErrorPolicy policy =
      options_.error_test == ErrorPolicy::automatic ? policy_.error_policy() : options_.error_test;
  return policy != ErrorPolicy::differential;
}

void Loop::ask_inside(double t) {
  const Interpolant& p = interpolant_;
  const bool tested = asked_inside_ || fixed_ || !policy_.tests_inside() || !between_->possible();
  asked_inside_ = true;
  if (tested || between_->tested(p)) return;
  const BetweenSteps::Finding found = between_->look(p, measure_.scale(), t);
  if (found.value > max_error)
    warn(fmt::format(
        "Between steps '{}' is off by about {:.2g} tolerances at t = {:.9g}: this step was taken "
        "before a value inside was asked for. The steps from here on are tested inside; with "
        "Output::dense all of them are.",
        system_->layout.name(found.worst), found.value, found.t));
}

// What rounding errors leave inside a step where they are known to limit the error test.
double Loop::between_noise(double h, int order) {
  const bool known = ((data_->said >> static_cast<unsigned>(Once::round_off_in_test)) & 1U) != 0U;
  if (!known || !round_off_ || !system_->residual_view()) return 0.0;
  const Eigen::MatrixXd* noise =
      round_off_->noise(system_->residual_view()->residual_pencil(), stepper_->trial().x.data());
  return noise ? roundings(order) * between_->value_of(*noise, measure_.scale(), h) : 0.0;
}

// Where nobody asks for values inside, z and lambda that no error test sees are looked at where
// steps end.
void Loop::look_at_end(Trial& trial) {
  // Tolerances over h: variables that no test controls may be off by more than those that one does.
  // No step is shortened to less than the second number times the interval for their sake.
  constexpr double max_at_end = 30.0, shortest = 1e-6;
  const double h = trial.request.h;
  if (!between_->end_is_due(stepper_->trial(), measure_.scale(), std::abs(h))) return;
  const BetweenSteps::Finding found =
      between_->test_end(stepper_->trial(), measure_.scale(), std::abs(h));
  if (!(found.value > max_at_end)) return;
  const double shorter =
      h * std::clamp(parameters_.safety * std::pow(max_at_end / found.value, 1.0 / method_.order),
                     parameters_.shrink, parameters_.safety);
  if (std::abs(shorter) < shortest * length_) return;
  trial.rough = true;
  shortened_for_ = found.worst;
  trial.decision = {Verdict::retry, shorter, trial.request.order};
}

void Loop::look_between(Trial& trial, const Goal& goal) {
  // Steps are shortened to this part of the interval; then it is a jump, not a fast signal.
  constexpr double shortest = 1e-9;
  if (!trial.accepted() || fixed_ || !policy_.tests_inside() || goal.landing || jumped_ ||
      crossing_ || !between_->possible())
    return;
  if (!trial.inside) return look_at_end(trial);
  if (!between_->due(interpolant_, measure_.scale())) {
    between_->left_out();
    return;
  }
  const BetweenSteps::Finding found = between_->test(interpolant_, measure_.scale(), attempts_);
  if (found.value == 0.0) return;
  const double h = trial.request.h, power = method_.dense_order + 1.0;
  const double ratio = parameters_.safety * std::pow(max_error / found.value, 1.0 / power);
  if (found.value <= max_error) {
    between_->passed(h, found.value / max_error);
    const double longest = std::max(ratio, 1.0) * std::abs(h);
    trial.decision.h = direction_ * std::min(std::abs(trial.decision.h), longest);
    return;
  }
  // Rounding errors that index 2 and 3 magnify are larger in shorter steps: where one was no better
  // than the longer one before it, and they explain what is left, another would be worse still.
  const bool no_better = rough_at_ == current_.t && found.value >= rough_value_;
  rough_at_ = current_.t;
  rough_value_ = found.value;
  if (no_better && found.value <= between_noise(h, trial.request.order)) return;
  const double shorter = h * std::clamp(ratio, parameters_.shrink, parameters_.safety);
  if (std::abs(shorter) > shortest * length_) {
    trial.rough = true;
    shortened_for_ = found.worst;
    trial.decision = {Verdict::retry, shorter, trial.request.order};
    return;
  }
  // Over a jump the interpolant swings: it would cross levels more than once.
  interpolant_.make_linear(system_->layout, current_, stepper_->trial());
  if (warn_once(Once::rough_between_steps))
    warn(fmt::format(
        "Between steps '{}' is off by about {:.2g} tolerances at t = {:.9g}, where shorter steps "
        "do not help: it jumps there, or the tolerance is below what the equations determine. "
        "Further places like this one are not reported.",
        system_->layout.name(found.worst), found.value, found.t));
}

}  // namespace daedalus
