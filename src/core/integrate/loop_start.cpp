// SPDX-License-Identifier: BSD-3-Clause
// Consistent states and fresh starts of the method: at the beginning and after jumps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/measure_options.hpp"
#include "integrate/loop.hpp"
#include "system/invariants.hpp"

namespace daedalus {

Status Loop::start(State state, double towards) {
  direction_ = towards >= state.t ? 1.0 : -1.0;
  length_ = std::abs(towards - state.t);
  t_start_ = fixed_origin_ = current_.t = state.t;
  const StartReport report = consistent(std::move(state), current_);
  name_changed_start(report);
  data_->choice.linear_solver = system_->linear_solver();
  if (report.status != Status::success) {
    recorder_->begin(current_, direction_);
    return fail(report.status, report.message);
  }
  if (const Status held = hold_invariants(); held != Status::success) {
    recorder_->begin(current_, direction_);
    return held;
  }
  if (const Status s = start_columns(); s != Status::success) {
    recorder_->begin(current_, direction_);
    return s;
  }
  need_scales();
  if (options_.max_step == 0.0) options_.max_step = policy_.max_step(length_);
  if (analyse_) {
    const PhaseScope phase(system_->counter, Phase::start);
    analyse_(*system_, current_, measure_);
  }
  stepper_ = method_.make(*system_, settings_);
  interpolant_.reserve(system_->layout, stepper_->interpolant_degree());
  between_ = std::make_unique<BetweenSteps>(*system_, method_, *stepper_, measure_, tests_all());
  if (system_->model_system() && method_.max_order > 0 && method_.stability == Stability::none)
    past_.assign(static_cast<std::size_t>(method_.max_order + 1), current_);
  rejections_.start(current_);
  recorder_->begin(current_, direction_);
  if (!sink_is_well()) return data_->status;
  events_->refuse_reads_outside(current_);
  const Status s = restart(StartReason::begin);
  if (s != Status::success) return s;
  data_->statistics.restarts = 0;
  h_ = first_step(towards);
  take_warnings();
  return Status::success;
}

StartReport Loop::consistent(State given, State& state) {
  System* const model = system_->model_system();
  System& where = model ? *model : *system_;
  // Start values are judged by the whole tolerance, whatever a step may take of it.
  std::optional<Measure> whole;
  if (model || data_->choice.tolerance_share != 1.0)
    whole.emplace(measure_options(options_, policy_, where, 1.0), where.layout);
  Measure& measure = whole ? *whole : measure_;
  measure.begin(given, 1.0);
  start_request_.weight = measure.scale();
  // Without atol a value of 0 has no scale; for the start values that of 1 serves.
  for (double& w : start_request_.weight)
    if (w == 0.0) w = options_.rtol;
  // Twice over (restart.cpp) a change of d(y) counts a million times as much.
  constexpr double kept_share = 1e-3;  // of the weight: a change counts for a thousand of others
  for (const std::vector<int>* list : {&kept_, &firm_})
    for (const int i : *list) start_request_.weight[i] *= kept_share;
  // What a variable's last digits do to an equation makes no start value inconsistent.
  constexpr double last_digits = 4.0 * std::numeric_limits<double>::epsilon();
  if (options_.rtol * kept_share < last_digits) {
    Eigen::VectorXd magnitude(where.layout.tangents());
    where.layout.magnitude(given.x.data(), magnitude.data());
    start_request_.weight = start_request_.weight.cwiseMax(last_digits * magnitude);
  }
  given_ = given;
  given_strategy_ = start_request_.strategy;
  where.prepare(given);
  StartReport report = make_consistent(*system_, given, start_request_);
  if (!model || report.status == Status::success) {
    state = std::move(given);
  } else if (state.x.size() == 0) {  // there is no chart that it could be a state of
    state.x.setZero(system_->layout.points());
    state.xd.setZero(system_->layout.tangents());
  }
  return report;
}

// Algebraic variables are guesses where start values are solved for; what is differentiated is what
// the user chose, and a change of it is worth a word.
void Loop::name_changed_start(const StartReport& report) {
  if (!report.changed || report.status != Status::success) return;
  if (!report.message.empty()) return warn(report.message);
  System* const model = system_->model_system();
  System& where = model ? *model : *system_;
  Eigen::VectorXd before(system_->variables->size());
  where.to_model(given_, before.data());
  if (const auto list = changes_of(before, differentiated(where, given_)); !list.empty())
    warn(fmt::format("The start values were changed to make them consistent: {}.", list));
}

// With atol = 0 the error of a variable is compared with its size, which must not be zero.
void Loop::need_scales() {
  measure_.begin(current_, 1.0);
  for (const LayoutBlock& b : system_->layout.blocks())
    for (int i = b.tangent; i < b.tangent + b.space.tangents(); ++i)
      if (measure_.scale()[i] == 0.0)
        throw InvalidArgument(fmt::format(
            "atol: 0 is not allowed for '{}', which starts at 0: no error is small against that. "
            "Give it an absolute tolerance above 0",
            system_->layout.name(i)));
}

// What the projection holds from here on; an event may have changed it.
Status Loop::hold_invariants() {
  if (!system_->invariants) return Status::success;
  const Outcome o = system_->invariants->mark(current_, system_->failure);
  if (o == Outcome::ok) return Status::success;
  system_->failure.function = "invariants";
  return fail(o, {}, {}, 0.0);
}

Status Loop::restart(StartReason reason) {
  const PhaseScope phase(system_->counter, Phase::start);
  // Without an error test nothing chooses an order: the highest one that the method is set to.
  order_ = method_.min_order == 0 ? method_.order : fixed_ ? method_.max_order : method_.min_order;
  history_ = {};
  number_ = 0;
  past_count_ = 0;
  fixed_origin_ = current_.t;
  ++data_->statistics.restarts;
  between_->start();
  const Outcome o = stepper_->start({reason, current_, known_ ? &known_ : nullptr, fixed_});
  if (o != Outcome::ok) return fail(o, {}, {}, 0.0);
  measure_.begin(current_, 1.0);
  if (!events_->begin(current_)) return fail_event();
  return Status::success;
}

}  // namespace daedalus
