// SPDX-License-Identifier: BSD-3-Clause
// A run that goes on with another method, at a step boundary: what the user sees continues, the new
// method starts from the last state. The systems may differ (another formulation, another view),
// the model variables do not.
#include <algorithm>
#include <cmath>

#include "integrate/loop.hpp"

namespace daedalus {

Status Loop::resume(Loop& before, double t_end) {
  direction_ = before.direction_;
  length_ = before.length_;
  t_start_ = before.t_start_;
  attempts_ = before.attempts_;
  repairs_ = before.repairs_;
  keep_interpolants_ = before.keep_interpolants_;
  asked_inside_ = before.asked_inside_;
  system_->counter.phases() = before.system_->counter.phases();
  *system_->modes = *before.system_->modes;
  recorder_->resume(*before.recorder_);
  events_->resume(*before.events_);
  accumulation_ = before.accumulation_;
  before.system_->to_model(before.current_, model_.data());
  State given;
  given.x.setZero(system_->layout.points());
  given.xd.setZero(system_->layout.tangents());
  system_->from_model(before.current_.t, model_.data(), given);
  given.t = current_.t = before.current_.t;
  // Multipliers and rates are completed; what the steps before left in the constraints is no
  // mistake of the user.
  const StartStrategy asked = std::exchange(start_request_.strategy, StartStrategy::given);
  const StartReport report = consistent(std::move(given), current_);
  start_request_.strategy = asked;
  if (report.status != Status::success) return fail(report.status, report.message);
  if (const Status held = hold_invariants(); held != Status::success) return held;
  data_->choice.linear_solver = system_->linear_solver();
  if (analyse_) {
    const PhaseScope phase(system_->counter, Phase::start);
    analyse_(*system_, current_, measure_);
  }
  stepper_ = method_.make(*system_, settings_);
  restructured_ = true;
  interpolant_.reserve(system_->layout, stepper_->interpolant_degree());
  between_ = std::make_unique<BetweenSteps>(*system_, method_, *stepper_, measure_, tests_all());
  interpolant_.h = 0.0;
  rejections_.start(current_);
  if (columns_ && before.columns_) columns_->take_over(*before.columns_, current_);
  if (const Status s = restart(StartReason::method_change); s != Status::success) return s;
  // The last steps were right for accuracy or shorter.
  const double last = std::abs(before.h_);
  const double first = std::abs(first_step(t_end));
  h_ = direction_ * std::min(std::max(first, last), 10.0 * last);
  return Status::success;
}

}  // namespace daedalus
