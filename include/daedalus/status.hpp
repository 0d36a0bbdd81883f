// SPDX-License-Identifier: BSD-3-Clause
// How a run ended. Numerical failure is a result, never an exception.
#pragma once

#include <iosfwd>
#include <string_view>

namespace daedalus {

enum class Status {
  success,
  stopped_by_event,
  inconsistent_start,
  step_too_small,
  too_many_steps,
  newton_failed,
  wrong_branch,
  singular_matrix,
  not_finite,
  left_domain,
  callback_failed,
  projection_failed,
  cancelled,
  events_accumulate,
};

std::string_view to_string(Status status);
std::string_view describe(Status status);  // one sentence: what happened and what to try
std::ostream& operator<<(std::ostream& out, Status status);

}  // namespace daedalus
