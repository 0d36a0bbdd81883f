// SPDX-License-Identifier: BSD-3-Clause
// Derivatives that a run carries along: where the loop hands them on.
#include <fmt/format.h>

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

void Loop::advance_columns(const Trial& trial) {
  columns_->advance({current_, stepper_->trial(), trial.request.order, interpolant_, *stepper_,
                     measure_.scale()});
  for (std::string& w : columns_->take_warnings()) data_->warnings.push_back(std::move(w));
}

// After the start values of the other side are known.
Status Loop::move_columns(double t, Jump jump, const std::string& where) {
  if (!columns_) return Status::success;
  if (jump == Jump::break_time) handled_.clear();
  const std::string why = columns_->jump({t, handled_, model_before_, current_, modes_before_});
  for (std::string& w : columns_->take_warnings()) data_->warnings.push_back(std::move(w));
  return why.empty() ? Status::success : fail(Status::inconsistent_start, where + ": " + why);
}

}  // namespace daedalus
