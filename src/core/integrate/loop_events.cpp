// SPDX-License-Identifier: BSD-3-Clause
// What follows from events: messages, handlers, and start values after them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/guarded_numbers.hpp"
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

// A body that starts on the floor with no speed would fall through it without a word.
void Loop::tell_events_at_start() {
  const std::vector<int> leaving = events_->leaving_zero(interpolant_);
  if (leaving.empty() || !warn_once(Once::event_at_start)) return;
  std::string names;
  for (const int i : leaving)
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", events_->event(i).name);
  warn(fmt::format(
      "Zero at the start is no crossing: {} {} there and {} in the direction of {}. Start on the "
      "side before it, or with what the handler would make of the state.",
      names, leaving.size() == 1 ? "is" : "are", leaving.size() == 1 ? "goes on" : "go on",
      leaving.size() == 1 ? "its event" : "their events"));
}

// An event that is found where the step begins, but for round-off: no step leads there.
Status Loop::fire_here() {
  record_events();
  if (!events_->advance(current_, true)) return fail_event();
  return fire();
}

Status Loop::fire() {
  bool stop = false, handled = false;
  system_->to_model(current_, model_.data());
  if (columns_) model_before_ = model_, modes_before_ = *system_->modes;
  for (const Located& a : events_->acting()) {
    const Event& event = events_->event(a.event);
    ++data_->statistics.events;
    data_->events.push_back({event.name, current_.t, model_});
    if (columns_) columns_->locate(a.event, current_.t, data_->events.back());
    stop = stop || event.action == EventAction::stop;
  }
  jump_ = Jump::handler;
  if (!stop && !call_handlers(handled)) return data_->status;
  if (stop || handler_stops_) {
    data_->status = Status::stopped_by_event;
    data_->message =
        fmt::format("Stopped by event '{}' at t = {:.10g}.", data_->events.back().name, current_.t);
    return data_->status;
  }
  return handled ? start_after_handlers() : Status::success;
}

bool Loop::call_handlers(bool& handled) {
  events_->note_slopes(interpolant_, current_);
  const Eigen::VectorXd state = model_;
  const std::vector<double> modes = *system_->modes;
  handled_.clear();
  std::vector<int> resting;
  for (const Located& a : events_->acting()) {
    const Event& event = events_->event(a.event);
    if (!event.handler) continue;
    handled = true;
    if (accumulation_.add(a.event, current_.t))
      resting.push_back(a.event);
    else if (!call_handler(event, event.handler))
      return false;
    else
      events_->wake(), handled_.push_back(a.event);  // a new mode may end the rest of others
  }
  if (!std::all_of(resting.begin(), resting.end(), [this](int i) { return rests(i); }))
    return false;
  events_->note_handled(model_, current_.t);
  if (model_ == state && *system_->modes == modes)
    events_->note_unchanged_state(model_, current_.t);
  return true;
}

bool Loop::call_handler(const Event& event, const std::function<void(EventContext&)>& handler) {
  Failure& failure = system_->failure;
  std::vector<double>& modes = *system_->modes;
  const In given =
      StateView(*system_->variables, current_.t, model_.data(), modes, system_->parameters.get())
          .p();
  GuardedNumbers y(model_.data(), static_cast<int>(model_.size()), mark_of_input(0));
  GuardedNumbers m(modes.data(), static_cast<int>(modes.size()), mark_of_input(1));
  GuardedNumbers p(given.data(), static_cast<int>(given.size()), mark_of_input(2));
  EventContext context{
      current_.t, Out(y.data(), y.size()), Out(m.data(), m.size()), *system_->variables, false,
      false,      In(p.data(), p.size())};
  const auto call = [&] {
    handler(context);
    return Eval::ok;
  };
  const Outcome called = guarded(failure, current_.t, call);
  if (context.solve_algebraic) jump_ = Jump::equations;
  handler_stops_ = handler_stops_ || context.stop;
  if (called != Outcome::ok) {
    fail(Status::callback_failed,
         fmt::format("The handler of event '{}' threw at t = {:g}: {}.", event.name, current_.t,
                     what_was_thrown(failure.exception)));
    return false;
  }
  if (!stayed_inside(event, y, m, p)) return false;
  std::copy(y.begin(), y.end(), model_.data());
  std::copy(m.begin(), m.end(), modes.begin());
  if (first_not_finite(model_.data(), static_cast<int>(model_.size())) < 0) return true;
  fail(Status::not_finite,
       fmt::format("The handler of event '{}' left a value that is not finite at t = {:g}.",
                   event.name, current_.t));
  return false;
}

bool Loop::stayed_inside(const Event& event, const GuardedNumbers& y, const GuardedNumbers& modes,
                         const GuardedNumbers& p) {
  const auto refuse = [&](const char* how, const char* what, int size) {
    fail(Status::callback_failed,
         fmt::format("The handler of event '{}' {} outside of {} at t = {:g}, of which there {} "
                     "{}{}.",
                     event.name, how, what, current_.t, size == 1 ? "is" : "are", size,
                     size > 0 ? fmt::format(": indices go from 0 to {}", size - 1) : ""));
    return false;
  };
  if (y.written_outside()) return refuse("writes", "the variables", y.size());
  if (modes.written_outside()) return refuse("writes", "the modes", modes.size());
  const std::pair<const GuardedNumbers*, const char*> inputs[] = {
      {&y, "the variables"}, {&modes, "the modes"}, {&p, "the parameters"}};
  for (const GuardedNumbers* result : {&y, &modes})
    for (const double value : *result)
      if (const int k = input_of(value); k >= 0)
        return refuse("reads", inputs[k].second, inputs[k].first->size());
  return true;
}

bool Loop::rests(int i) {
  const Event& event = events_->event(i);
  accumulation_.forget(i);
  if (event.rest) {
    events_->sleep(i);
    return call_handler(event, event.rest);
  }
  const double limit = accumulation_.limit();  // of the last one that was added
  const std::string how =
      accumulation_.ratio() > 0.0
          ? fmt::format(
                "the intervals between its times shrink by the factor {:.4g} each, and "
                "their limit is t = {:.10g}",
                accumulation_.ratio(), limit)
          : fmt::format("its times do not move on from t = {:.10g}", limit);
  fail(
      Status::events_accumulate,
      fmt::format("Event '{}' accumulates: {}. Infinitely many events are not followed. Give "
                  "Event::rest what holds from there on (in a model file: a discrete variable that "
                  "holds the motion still), or end the run with an event before.",
                  event.name, how));
  return false;
}

// The handler left the state at the event, turned back or at rest, and the equations lead it to the
// other side at once.
Status Loop::leave_stuck_event(int i) {
  const Event& event = events_->event(i);
  accumulation_.forget(i);
  if (!event.rest)
    return fail(
        Status::events_accumulate,
        fmt::format(
            "Event '{}' accumulates: its limit is t = {:.10g}. Its handler turned the state "
            "back or stopped it there, and the equations lead it to the other side all the "
            "same, however short the step. Give Event::rest what holds from there on.",
            event.name, current_.t));
  events_->sleep(i);
  system_->to_model(current_, model_.data());
  if (!call_handler(event, event.rest)) return data_->status;
  return start_after_handlers();
}

Status Loop::start_after_handlers() {
  const std::string where = fmt::format("After the handler of event '{}' at t = {:.10g}",
                                        data_->events.back().name, current_.t);
  if (const Status s = start_again(current_.t, jump_, where); s != Status::success) return s;
  for (const Located& a : events_->acting()) {
    const double interval = accumulation_.next_interval(a.event);
    const bool nearly_over = interval > 0.0 && accumulation_.nearly_over(a.event);
    events_->near_limit(a.event, nearly_over);
    if (!nearly_over || fixed_ || !events_->below_noise(a.event, current_, interval)) continue;
    system_->to_model(current_, model_.data());
    if (!rests(a.event)) return data_->status;
    if (const Status s = start_again(current_.t, jump_, where); s != Status::success) return s;
  }
  // Steps much longer than the next interval of a series of events would see nothing of it.
  for (const Located& a : events_->acting())
    if (const double interval = accumulation_.next_interval(a.event); interval > 0.0 && !fixed_)
      h_ = direction_ * std::min(std::abs(h_), interval);
  return Status::success;
}

}  // namespace daedalus
