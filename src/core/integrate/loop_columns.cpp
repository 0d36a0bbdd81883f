// SPDX-License-Identifier: BSD-3-Clause
// Derivatives that a run carries along: where the loop hands them on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "integrate/loop.hpp"

namespace daedalus {

void Loop::carry(std::unique_ptr<Columns> columns) {
  columns_ = std::move(columns);
  recorder_->follow(columns_.get());
  keep_interpolants_ = keep_interpolants_ || columns_ != nullptr;
}

Status Loop::start_columns() {
  if (!columns_) return Status::success;
  const std::string why = columns_->start(current_);
  return why.empty() ? Status::success : fail(Status::inconsistent_start, why);
}

void Loop::take_column_warnings() {
  for (std::string& w : columns_->take_warnings()) data_->warnings.push_back(std::move(w));
}

void Loop::commit_columns() {
  columns_->commit();
  take_column_warnings();
}

Outcome Loop::compute_columns(const Trial& trial) {
  return columns_->advance({current_, stepper_->trial(), trial.request.order, interpolant_,
                            *stepper_, measure_.scale()});
}

void Loop::advance_columns(const Trial& trial) {
  if (compute_columns(trial) != Outcome::ok) columns_->give_up();
  take_column_warnings();
}

// Where columns have a say in the step: their errors beside those of the states, order by order,
// and failures of theirs. Where no shorter step helps, the derivative ends and not the run.
void Loop::test_columns(Trial& trial) {
  constexpr int most_failures = 3;  // 64 times shorter: it is no matter of the step any more
  if (!columns_ || fixed_ || !trial.accepted()) return;
  if (!columns_->tested() && !columns_->coupled()) return;
  const Outcome o = compute_columns(trial);
  if (o != Outcome::ok && history_.rejections < most_failures) {
    trial.attempt.outcome = o;
    trial.attempt.advice.after_failure = 0.25;
    trial.tests = {};
    trial.decision = decide(trial);
    return;
  }
  trial.columns = true;
  if (o != Outcome::ok) columns_->give_up();
  if (columns_->tested() && o == Outcome::ok) {
    trial.tests =
        measure_.raised(trial.tests.size(), [this](int order) { return columns_->error(order); });
    const double longest = std::abs(trial.decision.h);  // what a look between the steps left
    trial.decision = decide(trial);
    trial.decision.h = direction_ * std::min(longest, std::abs(trial.decision.h));
    if (!trial.accepted()) columns_->refused();
  }
  take_column_warnings();
}

// After the start values of the other side are known.
Status Loop::move_columns(double t, Jump jump, const std::string& where) {
  if (!columns_) return Status::success;
  if (jump == Jump::break_time) handled_.clear();
  const std::string why = columns_->jump({t, handled_, model_before_, current_, modes_before_});
  take_column_warnings();
  return why.empty() ? Status::success : fail(Status::inconsistent_start, where + ": " + why);
}

}  // namespace daedalus
