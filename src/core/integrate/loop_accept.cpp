// SPDX-License-Identifier: BSD-3-Clause
// From an accepted attempt to the next state: interpolant, events, output, commit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "integrate/loop.hpp"

namespace daedalus {

bool Loop::wants_values_inside(const Trial& trial) const {
  return asked_inside_ || !events_->empty() || recorder_->wants_interpolant(trial.request.t_new) ||
         (between_->always() && !fixed_ && policy_.tests_inside());
}

bool Loop::interpolate(Trial& trial) {
  trial.inside = wants_values_inside(trial);
  if (!trial.inside && !keep_interpolants_) return true;
  const PhaseScope phase(system_->counter, Phase::output);
  const Outcome o = stepper_->interpolant(interpolant_);
  if (o != Outcome::ok) fail(o, trial.attempt, trial.tests, trial.request.h);
  return o == Outcome::ok;
}

Loop::Search Loop::search_events(const Trial& trial, Goal& goal) {
  if (events_->empty()) return Search::nothing_inside;
  if (goal.landing) {
    if (events_->land(interpolant_, current_, stepper_->trial())) return Search::nothing_inside;
    fail_event();
    return Search::failed;
  }
  if (!events_->scan(interpolant_, current_, stepper_->trial())) {
    fail_event();
    return Search::failed;
  }
  if (data_->statistics.accepted == 0) tell_events_at_start();
  if (events_->stuck() >= 0) {
    const int event = events_->stuck();
    return leave_stuck_event(event) == Status::success ? Search::event_inside : Search::failed;
  }
  if (events_->acting().empty() ||
      direction_ * (trial.request.t_new - events_->landing_time()) <= 0.0)
    return Search::nothing_inside;
  if (!trace(trial, "event_inside")) return Search::failed;
  if (current_.t + 0.5 * (events_->landing_time() - current_.t) == current_.t) {
    goal = towards(goal.t_end);
    return fire_here() == Status::success ? Search::event_inside : Search::failed;
  }
  goal.landing = true;
  goal.at_break = false;
  goal.barrier = events_->landing_time();
  return Search::event_inside;
}

bool Loop::report_inside(const Trial& trial) {
  if (!trace(trial, "accepted")) return false;
  if (recorder_->wants_interpolant(trial.request.t_new))
    recorder_->inside(interpolant_, trial.request.t_new);
  record_events();
  return sink_is_well();
}

void Loop::record_events() {
  for (const Located& e : events_->recorded()) {
    interpolant_.evaluate(system_->layout, e.t, tangent_, scratch_.x.data());
    scratch_.t = e.t;
    system_->to_model(scratch_, model_.data());
    data_->events.push_back({events_->event(e.event).name, e.t, model_});
    if (columns_) columns_->locate(e.event, e.t, data_->events.back());
    ++data_->statistics.events;
  }
}

void Loop::commit(const Trial& trial, const Goal& goal) {
  trial.inside ? between_->committed(interpolant_) : between_->forget();
  between_->committed_end(stepper_->trial());
  stepper_->commit(trial.amended);
  if (columns_) commit_columns();
  keep_past();
  current_.t = stepper_->trial().t;
  current_.x = stepper_->trial().x;
  current_.xd = stepper_->trial().xd;
  if (goal.at_break && trial.request.t_new == goal.barrier) current_.t = goal.break_time;
  ++number_;
  remember(trial);
  if (stability_.add(trial.attempt.stiffness, current_.t)) tell_stiffness();
  watch_structure();
  const Decision& next = trial.decision;
  const bool cut =
      !fixed_ && policy_.keeps_step_when_cut() && std::abs(trial.request.h) < 0.99 * std::abs(h_);
  h_ = cut ? direction_ * std::max(std::abs(h_), std::abs(next.h)) : next.h;
  if (!fixed_) order_ = next.order;
}

// At the accepted steps 2, 4, 8, ..., and then at every 64th; after rejected ones anyway.
void Loop::watch_structure() {
  constexpr long rarely = 64;  // one product of a Jacobian per so many steps costs below 1 %
  const long n = number_;
  if (n > 1 && (n % rarely == 0 || (n < rarely && (n & (n - 1)) == 0)))
    system_->doubt_structure(current_);
  take_warnings();
}

void Loop::keep_past() {
  if (past_.empty()) return;
  std::rotate(past_.begin(), past_.end() - 1, past_.end());
  std::swap(past_.front(), current_);
  past_count_ = std::min(past_count_ + 1, static_cast<int>(past_.size()));
}

StepInfo Loop::finish(const Trial& trial, double t_end) {
  const bool acted = !events_->acting().empty();
  if (!events_->empty() && !events_->advance(current_, acted)) {
    fail_event();
    return ended();
  }
  recorder_->accepted(current_);
  const double h = trial.request.h;
  const Progress progress{current_.t, t_end, h, data_->statistics.accepted};
  if (!sink_is_well() ||
      (options_.progress && !hook("progress", [&] { options_.progress(progress); })))
    return {current_.t, h, trial.request.order, data_->status};
  Status status = acted ? fire() : Status::success;
  if (crossing_ && status == Status::success) status = leave_corner();
  return {current_.t, h, trial.request.order, sink_is_well() ? status : data_->status};
}

void Loop::remember(const Trial& trial) {
  Statistics& s = data_->statistics;
  const double h = trial.request.h, size = std::abs(h);
  const int order = trial.request.order;
  ++s.accepted;
  if (pause_at_ >= 0 && s.accepted >= pause_at_) {
    paused_ = true;
    pause_at_ = -1;
  }
  const auto bin = static_cast<std::size_t>(order);
  if (bin < s.order_histogram.size()) ++s.order_histogram[bin];
  s.h_min = s.accepted == 1 ? size : std::min(s.h_min, size);
  s.h_max = std::max(s.h_max, size);
  s.last_step = h;
  history_.since_change =
      std::abs(h - history_.h_last) > 1e-9 * size ? 1 : history_.since_change + 1;
  history_.h_last = h;
  history_.error_before = history_.error_last;
  double error = 0.0;
  for (const ErrorTest& t : trial.tests)
    if (t.order == order) error = std::max(error, t.value);
  s.last_error = error;
  error_sum_ += error;
  // Gustafsson: a very small error must not make the next prediction run away.
  history_.error_last = std::max(error, 1e-2);
  history_.rejections = 0;
  ++history_.accepted;
  history_.at_order = trial.decision.order == order ? history_.at_order + 1 : 0;
  history_.rising = history_.rising && trial.decision.order >= order;
}

bool Loop::trace(const Trial& trial, std::string_view outcome) {
  if (!options_.trace) return true;
  const StepRequest& r = trial.request;
  const Attempt& a = trial.attempt;
  double error = 0.0;
  int worst = a.culprit.kind == Culprit::Kind::variable ? a.culprit.index : -1;
  for (const ErrorTest& t : trial.tests)
    if (t.order == r.order && t.value >= error) error = t.value, worst = t.worst;
  const std::string_view name = worst >= 0 && worst < system_->layout.tangents()
                                    ? std::string_view(system_->layout.name(worst))
                                    : std::string_view();
  const StepRecord record{attempts_,           r.t,     r.h,   r.order, error,
                          a.newton_iterations, outcome, worst, name};
  return hook("trace", [&] { options_.trace(record); });
}

void Loop::tell_stiffness() {
  if (pause_when_stiff_) {
    paused_ = true;
    return;
  }
  data_->warnings.push_back(fmt::format(
      "From about t = {:.4g} on, stability and not accuracy limits the steps of '{}': the problem "
      "is stiff there. A method for stiff problems may need fewer steps{}.",
      stability_.since(), method_.name,
      stiff_alternative_.empty() ? std::string() : fmt::format(": try '{}'", stiff_alternative_)));
}

}  // namespace daedalus
