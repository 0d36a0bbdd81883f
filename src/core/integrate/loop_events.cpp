// What follows from events: messages, handlers, and start values after them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "integrate/loop.hpp"
#include "integrate/messages.hpp"

namespace daedalus {

Status Loop::fail_event() {
  const std::string& name = events_->event(events_->failed()).name;
  const double t = system_->failure.t;
  if (system_->failure.exception)
    return fail(Status::callback_failed,
                fmt::format("The function of event '{}' threw at t = {:.10g}: {}.", name, t,
                            what_was_thrown(system_->failure.exception)));
  return fail(Status::not_finite,
              fmt::format("The function of event '{}' gave a value that is not finite at t = "
                          "{:.10g}.",
                          name, t));
}

// In a formulation that does not hold all constraints the state had drifted before the handler saw
// it. Unless the handler made it worse, start values are then found, not asked for.
StartReport Loop::consistent_after_handler(State given) {
  constexpr double worse = 10.0;
  const State before = current_;
  StartReport report = consistent(given, current_);
  if (report.status != Status::inconsistent_start || system_->model_system() ||
      start_request_.strategy != StartStrategy::automatic)
    return report;
  State drifted;
  const StartReport drift = consistent(before, drifted);
  if (drift.status == Status::inconsistent_start && !drift.rows.empty() && !report.rows.empty() &&
      report.rows.front().scaled <= worse * drift.rows.front().scaled) {
    start_request_.strategy = StartStrategy::solve;
    report = consistent(std::move(given), current_);
    start_request_.strategy = StartStrategy::automatic;
  }
  return report;
}

Status Loop::fire() {
  bool stop = false, handled = false;
  system_->to_model(current_, model_.data());
  for (const Located& a : events_->acting()) {
    const Event& event = events_->event(a.event);
    ++data_->statistics.events;
    data_->events.push_back({event.name, current_.t, model_});
    stop = stop || event.action == EventAction::stop;
  }
  if (stop) {
    data_->status = Status::stopped_by_event;
    data_->message =
        fmt::format("Stopped by event '{}' at t = {:.10g}.", data_->events.back().name, current_.t);
    return data_->status;
  }
  if (!call_handlers(handled)) return data_->status;
  return handled ? start_after_handlers() : Status::success;
}

bool Loop::call_handlers(bool& handled) {
  Failure& failure = system_->failure;
  for (const Located& a : events_->acting()) {
    const Event& event = events_->event(a.event);
    if (!event.handler) continue;
    EventContext context{current_.t, Out(model_.data(), model_.size()),
                         Out(system_->modes->data(), static_cast<int>(system_->modes->size())),
                         *system_->variables};
    const auto call = [&] {
      event.handler(context);
      return Eval::ok;
    };
    if (guarded(failure, current_.t, call) != Outcome::ok) {
      fail(Status::callback_failed,
           fmt::format("The handler of event '{}' threw at t = {:g}: {}.", event.name, current_.t,
                       what_was_thrown(failure.exception)));
      return false;
    }
    if (first_not_finite(model_.data(), static_cast<int>(model_.size())) >= 0) {
      fail(Status::not_finite,
           fmt::format("The handler of event '{}' left a value that is not finite at t = {:g}.",
                       event.name, current_.t));
      return false;
    }
    handled = true;
  }
  return true;
}

// The model state that handlers left becomes a consistent one, and the method starts anew.
Status Loop::start_after_handlers() {
  System* const model = system_->model_system();
  State given = model ? State{} : current_;
  const long charts = system_->charts();
  (model ? *model : *system_).from_model(current_.t, model_.data(), given);
  const StartReport report = consistent_after_handler(std::move(given));
  if (report.status != Status::success)
    return fail(report.status, "After the handler of event '" + data_->events.back().name +
                                   "': " + report.message);
  if (const Status held = hold_invariants(); held != Status::success) return held;
  // Of no use in another chart.
  if (system_->charts() != charts) interpolant_.h = 0.0;
  recorder_->jump(current_);
  const double h = std::abs(h_);
  // The structure of the equations may have changed with the modes: work arrays are made anew.
  stepper_ = method_.make(*system_, settings_);
  restructured_ = true;
  if (const Status s = restart(StartReason::event); s != Status::success) return s;
  const double fresh = std::abs(first_step(current_.t + direction_ * 1000.0 * h));
  h_ = fixed_ ? direction_ * h : direction_ * std::min(h, fresh);
  return Status::success;
}

}  // namespace daedalus
