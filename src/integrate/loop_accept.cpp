// From an accepted attempt to the next state: interpolant, events, output, commit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "integrate/loop.hpp"

namespace daedalus {

bool Loop::wants_interpolant(const Trial& trial) const {
  return !events_->empty() || keep_interpolants_ ||
         recorder_->wants_interpolant(trial.request.t_new) ||
         (between_->always() && !fixed_ && policy_.tests_inside());
}

bool Loop::interpolate(Trial& trial) {
  if (!wants_interpolant(trial)) return true;
  const PhaseScope phase(system_->counter, Phase::output);
  const Outcome o = stepper_->interpolant(interpolant_);
  trial.interpolated = o == Outcome::ok;
  if (o != Outcome::ok) fail(o, trial.attempt, trial.tests, trial.request.h);
  return o == Outcome::ok;
}

Loop::Search Loop::search_events(const Trial& trial, Goal& goal) {
  if (events_->empty() || goal.landing) return Search::nothing_inside;
  if (!events_->scan(interpolant_, stepper_->trial())) {
    fail_event();
    return Search::failed;
  }
  if (events_->acting().empty() ||
      direction_ * (trial.request.t_new - events_->landing_time()) <= 0.0)
    return Search::nothing_inside;
  trace(trial, "event_inside");
  goal.landing = true;
  goal.barrier = events_->landing_time();
  return Search::event_inside;
}

void Loop::report_inside(const Trial& trial) {
  trace(trial, "accepted");
  if (recorder_->wants_interpolant(trial.request.t_new))
    recorder_->inside(interpolant_, trial.request.t_new);
  record_events();
}

void Loop::record_events() {
  for (const Located& e : events_->recorded()) {
    interpolant_.evaluate(system_->layout, e.t, tangent_, scratch_.x.data());
    scratch_.t = e.t;
    system_->to_model(scratch_, model_.data());
    data_->events.push_back({events_->event(e.event).name, e.t, model_});
    ++data_->statistics.events;
  }
}

void Loop::commit(const Trial& trial) {
  trial.interpolated ? between_->committed(interpolant_) : between_->forget();
  stepper_->commit(trial.amended);
  keep_past();
  current_.t = stepper_->trial().t;
  current_.x = stepper_->trial().x;
  current_.xd = stepper_->trial().xd;
  ++number_;
  remember(trial);
  if (stability_.add(trial.attempt.stiffness, current_.t)) tell_stiffness();
  const Decision& next = trial.decision;
  const bool cut =
      !fixed_ && policy_.keeps_step_when_cut() && std::abs(trial.request.h) < 0.99 * std::abs(h_);
  h_ = cut ? direction_ * std::max(std::abs(h_), std::abs(next.h)) : next.h;
  if (!fixed_) order_ = next.order;
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
  if (options_.progress) options_.progress({current_.t, t_end, h, data_->statistics.accepted});
  const Status status = acted ? fire() : Status::success;
  return {current_.t, h, trial.request.order, status};
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
  // Gustafsson: a very small error must not make the next prediction run away.
  history_.error_last = std::max(error, 1e-2);
  history_.rejections = 0;
  ++history_.accepted;
  history_.at_order = trial.decision.order == order ? history_.at_order + 1 : 0;
  history_.rising = history_.rising && trial.decision.order >= order;
}

void Loop::trace(const Trial& trial, std::string_view outcome) {
  if (!options_.trace) return;
  const StepRequest& r = trial.request;
  const Attempt& a = trial.attempt;
  double error = 0.0;
  int worst = a.culprit.kind == Culprit::Kind::variable ? a.culprit.index : -1;
  for (const ErrorTest& t : trial.tests)
    if (t.order == r.order && t.value >= error) error = t.value, worst = t.worst;
  const std::string_view name = worst >= 0 && worst < system_->layout.tangents()
                                    ? std::string_view(system_->layout.name(worst))
                                    : std::string_view();
  options_.trace({attempts_, r.t, r.h, r.order, error, a.newton_iterations, outcome, worst, name});
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
