// SPDX-License-Identifier: BSD-3-Clause
// One step, as the diagram in docs/architecture.md draws it.
#include "integrate/loop.hpp"
#include "system/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {

StepInfo Loop::step(double t_end) {
  if (!may_step(t_end)) return ended();
  Goal goal = towards(t_end);
  while (may_go_on(t_end)) {
    Trial trial = attempt(limit(goal));
    judge(trial);
    project(trial);
    if (trial.accepted() && !interpolate(trial)) break;
    look_between(trial, goal);
    test_columns(trial);
    if (!trial.accepted()) {
      if (!prepare_retry(trial)) break;
      goal = towards(t_end);
      continue;
    }
    const Search found = search_events(trial, goal);
    if (found == Search::failed) break;
    if (found == Search::event_inside) continue;  // repeated so that a step ends there
    if (columns_ && !trial.columns) advance_columns(trial);
    if (!report_inside(trial)) break;
    commit(trial, goal);
    return finish(trial, t_end);
  }
  return ended();
}

Status Loop::run(double t_end) {
  if (!std::isfinite(t_end))
    throw InvalidArgument(fmt::format("run: t_end = {} is not finite", t_end));
  while (data_->status == Status::success && current_.t != t_end && !paused_) step(t_end);
  return data_->status;
}

bool Loop::may_step(double t_end) {
  if (!std::isfinite(t_end))
    throw InvalidArgument(fmt::format("step: t_end = {} is not finite", t_end));
  if (data_->status != Status::success || current_.t == t_end) return false;
  if (!stepper_) throw InvalidArgument("step: initialize() has not been called");
  if (direction_ * (t_end - current_.t) < 0.0)
    throw InvalidArgument(fmt::format("step: t_end = {} lies behind t = {}", t_end, current_.t));
  own_data();
  if (at_break() && cross_break() != Status::success) return false;
  if (jumped_ && leave_jump() != Status::success) return false;
  return renew_chart() == Status::success;
}

bool Loop::may_go_on(double t_end) {
  bool cancelled = false;
  if (options_.cancel && !hook("cancel", [&] { cancelled = options_.cancel(); })) return false;
  if (cancelled) {
    fail(Status::cancelled, fmt::format("The run was cancelled at t = {:g}.", current_.t));
    return false;
  }
  if (attempts_ < options_.max_steps) return true;
  const std::string limit = round_off_limit();
  // Of a tolerance below round-off the diagnosis knows which equation asks for more.
  impasse_named_ = !limit.empty() && below_round_off().empty();
  fail(Status::too_many_steps,
       fmt::format("{}{} steps were not enough: t = {:g} of {:g} was reached{}.{}{}", limit,
                   options_.max_steps, current_.t, t_end, what_keeps_steps_short(),
                   !limit.empty() ? ""
                                  : " Raise max_steps, loosen the tolerances, or choose a method "
                                    "that suits the problem better.",
                   columns_ ? columns_->limiting() : std::string()));
  return false;
}

std::string Loop::what_keeps_steps_short() const {
  std::string text = fmt::format(", in steps of {:.2g} at last", std::abs(last_tried_));
  if (shortened_by_ == Shortening::none) return text;
  const char* const by = shortened_by_ == Shortening::inside ? "the values between steps"
                         : shortened_by_ == Shortening::test ? "the error test"
                                                             : "the equations of the step";
  const bool named = shortened_for_ >= 0 && shortened_for_ < system_->layout.tangents();
  return fmt::format("{}; the last one that failed did so for {}{}", text, by,
                     named ? fmt::format(" of '{}'", system_->layout.name(shortened_for_)) : "");
}

Loop::Trial Loop::attempt(const StepRequest& request) {
  ++attempts_;
  last_tried_ = request.h;
  system_->at_step(number_, current_.t, request.h);
  Trial trial{request};
  const PhaseScope phase(system_->counter, Phase::step);
  trial.attempt = stepper_->attempt(request);
  if (known_failed_) {
    system_->failure = *known_failed_;
    trial.attempt = {};
    trial.attempt.outcome = Outcome::callback_failed;
  }
  // A multistep method uses a lower order than asked for until it has enough values.
  if (trial.attempt.order > 0) trial.request.order = trial.attempt.order;
  return trial;
}

Decision Loop::decide(const Trial& t) const {
  return control_(
      parameters_, history_,
      {t.attempt.outcome, number_, t.request.h, t.request.order, t.tests, t.attempt.advice});
}

// What evaluations on any rank left and no decision has met yet.
void Loop::settle(Trial& trial) {
  Communicator& ranks = system_->layout.communicator();
  if (!ranks.shared() || !trial.solved()) return;
  if (fixed_) ranks.reduce({}, {});
  trial.attempt.outcome = ranks.settle(Outcome::ok);
  if (!trial.solved()) trial.tests = {};
}

void Loop::judge(Trial& trial) {
  jumped_ = false;
  if (trial.solved() && !fixed_)
    trial.tests = measure_.measure(trial.attempt.estimates, stepper_->trial(), trial.request.h);
  settle(trial);
  trial.decision = decide(trial);
  if (!trial.solved() || hidden_in_round_off(trial) || trial.accepted() ||
      !left_by_earlier_steps(trial.tests, trial.request.h))
    return;
  trial.tests = measure_.passed(trial.tests.size());
  trial.decision = decide(trial);
}

void Loop::project(Trial& trial) {
  // Automatic projection acts when the drift is seen in the error test.
  constexpr double automatic_threshold = 0.1;
  if (!trial.accepted() || !system_->has_projection() ||
      options_.projection == ProjectionWhen::none)
    return;
  const PhaseScope phase(system_->counter, Phase::projection);
  const double threshold =
      options_.projection == ProjectionWhen::every_step ? 0.0 : automatic_threshold;
  const ProjectionResult p = system_->project(stepper_->trial(), measure_.scale(), threshold);
  trial.amended = p.amended;
  if (p.outcome != Outcome::ok) {
    ++data_->statistics.projection_failures;
    trial.attempt.outcome = p.outcome;
    trial.attempt.advice.after_failure = 0.5;
    trial.decision = decide(trial);
  } else if (p.amended) {
    ++data_->statistics.projections;
  }
}

void Loop::note_why_shorter(const Trial& trial) {
  shortened_by_ = trial.rough      ? Shortening::inside
                  : trial.solved() ? Shortening::test
                                   : Shortening::equations;
  if (trial.rough) return;
  shortened_for_ =
      trial.attempt.culprit.kind == Culprit::Kind::variable ? trial.attempt.culprit.index : -1;
  double largest = 0.0;
  for (const ErrorTest& t : trial.tests)
    if (trial.solved() && t.value > largest) largest = t.value, shortened_for_ = t.worst;
}

bool Loop::prepare_retry(const Trial& trial) {
  // So many failed error tests in a row call for a look at the algebraic equations: the step is a
  // millionth of what it was.
  constexpr int rejections_before_repair = 8;
  const std::string_view outcome = trial.rough      ? "between_steps"
                                   : trial.solved() ? "error_test"
                                                    : to_string(trial.attempt.outcome);
  if (!trace(trial, outcome)) return false;
  note_why_shorter(trial);
  // A method that sees no use in a shorter step ends the run; this is no rejected step.
  if (!trial.solved() && trial.attempt.advice.after_failure <= 0.0) {
    fail(trial.attempt.outcome, trial.attempt, trial.tests, trial.request.h);
    return false;
  }
  ++data_->statistics.rejected;
  if (trial.solved()) ++data_->statistics.error_test_failures;
  ++history_.rejections;
  history_.rising = false;
  system_->doubt_structure(current_);
  rejections_.add(current_, trial.request.h);
  if (trial.solved() && !trial.rough && history_.rejections == rejections_before_repair && repair())
    return data_->status == Status::success;
  if (enter_corner(trial)) return true;
  // What is asked for takes the place of the control's own bound, above round-off of t.
  const double floor = std::max(
      options_.min_step, options_.min_step > 0.0
                             ? 2.0 * std::numeric_limits<double>::epsilon() * std::abs(current_.t)
                             : policy_.min_step(length_, current_.t));
  if (trial.attempt.outcome == Outcome::callback_failed ||
      trial.decision.verdict == Verdict::give_up || std::abs(trial.decision.h) <= floor ||
      (!crossing_ && history_.rejections > policy_.max_rejections())) {
    fail(trial.attempt.outcome, trial.attempt, trial.tests, trial.request.h);
    return false;
  }
  h_ = trial.decision.h;
  order_ = trial.decision.order;
  return trial.solved() || renew_chart() == Status::success;
}

}  // namespace daedalus
