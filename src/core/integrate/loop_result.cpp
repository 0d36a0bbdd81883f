// SPDX-License-Identifier: BSD-3-Clause
// What a run has to tell: status, message, warnings, statistics, and everything for a Solution.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/loop.hpp"
#include "integrate/messages.hpp"
#include "system/communicator.hpp"
#include "system/invariants.hpp"

namespace daedalus {
namespace {

// Outcomes that rounding errors have as well as faults of a model.
bool numerical(Outcome outcome) {
  return outcome == Outcome::ok || outcome == Outcome::newton_failed ||
         outcome == Outcome::matrix_singular || outcome == Outcome::not_finite;
}

}  // namespace

Status Loop::fail(Status status, std::string message) {
  data_->status = status;
  data_->message = std::move(message);
  const bool thrown = status == Status::callback_failed || status == Status::left_domain;
  data_->exception = thrown ? system_->failure.exception : nullptr;
  return status;
}

Status Loop::fail(Outcome outcome, const Attempt& attempt, std::span<const ErrorTest> tests,
                  double h) {
  std::string message = numerical(outcome) ? round_off_limit() : std::string();
  impasse_named_ = !message.empty();
  // Newton's method or a matrix that fails for that reason needs no advice of its own.
  if (impasse_named_ && (outcome == Outcome::newton_failed || outcome == Outcome::matrix_singular))
    return fail(Status::step_too_small,
                message + fmt::format("Steps of {:.3g} at t = {:.10g} fail.", h, current_.t));
  message += explain_failure(*system_, outcome, attempt, tests, current_.t, h);
  if (impasse_named_) return fail(status_of(outcome), std::move(message));
  if (data_->statistics.accepted > 0 && !system_->model_system() &&
      !system_->layout.communicator().shared()) {
    State begin = current_;
    system_->from_model(data_->start_time, data_->start.data(), begin);
    const std::string impasse = explain_impasse(*system_, outcome, begin, current_);
    impasse_named_ = !impasse.empty();
    message += impasse;
  }
  return fail(status_of(outcome), std::move(message));
}

bool Loop::end_by_hook(const char* name) {
  fail(Status::callback_failed, fmt::format("'{}' threw at t = {:.10g}: {}.", name, current_.t,
                                            what_was_thrown(system_->failure.exception)));
  return false;
}

bool Loop::sink_is_well() {
  const std::exception_ptr thrown = recorder_->take_exception();
  if (!thrown) return true;
  system_->failure.exception = thrown;
  return end_by_hook("sink");
}

// What an analysis found takes the place of general advice.
void Loop::add_to_message(const std::string& sentences) {
  own_data();
  std::string& message = data_->message;
  if (const auto at = message.find(newton_advice); !sentences.empty() && at != std::string::npos)
    message.erase(at, newton_advice.size());
  message += sentences;
}

void Loop::warn(std::string sentence) {
  own_data();
  data_->warnings.push_back(std::move(sentence));
}

void Loop::take_warnings() {
  for (; warnings_taken_ < system_->warnings.size(); ++warnings_taken_)
    data_->warnings.push_back(system_->warnings[warnings_taken_]);
}

bool Loop::warn_once(Once what) {
  const unsigned bit = 1u << static_cast<unsigned>(what);
  if (data_->said & bit) return false;
  data_->said |= bit;
  return true;
}

Statistics Loop::statistics() const {
  Statistics s = data_->statistics;
  s.phases = system_->counter.phases();
  s.proposed_step = std::abs(h_);
  if (!fixed_ && options_.max_step > 0.0)
    s.proposed_step = std::min(s.proposed_step, options_.max_step);
  return s;
}

std::shared_ptr<SolutionData> Loop::hand_over() {
  own_data();
  return data_;
}

std::vector<Interpolant> Loop::take_interpolants() {
  own_data();
  return std::exchange(data_->interpolants, {});
}

void Loop::own_data() {
  if (lent_.expired()) return;
  data_ = std::make_shared<SolutionData>(*data_);
  recorder_->record_into(*data_);
  lent_.reset();
}

// The errors of a method of order 1 have one sign over long times, and there are many: the smaller
// the tolerance, the more of them.
void Loop::tell_sum_of_errors() {
  constexpr double many = 50.0;  // tolerances; the solution may amplify them by as much again
  if (method_.order > 1 || fixed_ || error_sum_ < many || !warn_once(Once::errors_add_up)) return;
  data_->warnings.push_back(fmt::format(
      "The errors of '{}', a method of order 1, add up: each of {} steps was tested against one "
      "tolerance, together they are about {:.0f}. A method of higher order takes fewer and longer "
      "steps.",
      method_.name, data_->statistics.accepted, error_sum_));
}

std::shared_ptr<const SolutionData> Loop::result(double seconds) {
  // Nothing has happened since somebody asked, and still holds what he got.
  if (const std::shared_ptr<const void> owner = lent_.lock()) return {owner, data_.get()};
  recorder_->end(current_);
  sink_is_well();
  take_warnings();
  tell_sum_of_errors();
  tell_growth();
  tell_resolution();
  if (columns_) columns_->concluded(), take_column_warnings();
  data_->statistics = statistics();
  data_->statistics.seconds = seconds;
  if (data_->status == Status::success)
    data_->message = fmt::format("Reached t = {:.10g}.", current_.t);
  // Loops of one run share the data: an owner of its own tells whether a result is still held.
  const auto owner = std::make_shared<std::shared_ptr<const SolutionData>>(data_);
  lent_ = owner;
  return {owner, data_.get()};
}

void Loop::archive(Archive& a) {
  a(current_.t, current_.x, current_.xd, h_);
  a.within(order_, 0, std::max(method_.max_order, order_));
  a(number_, attempts_, direction_, fixed_origin_, history_.h_last, history_.error_last,
    history_.error_before, history_.accepted, history_.rejections, history_.since_change,
    history_.at_order, history_.rising);
  measure_.archive(a);
  system_->archive(a);
  if (system_->invariants) system_->invariants->archive(a);
  a.within(past_count_, 0, static_cast<int>(past_.size()));
  for (State& s : past_) a(s.t, s.x, s.xd);
  stepper_->archive(a);
  between_->archive(a);
}

}  // namespace daedalus
