// SPDX-License-Identifier: BSD-3-Clause
// Break times: the right-hand side may jump or have a kink there. The step before ends round-off
// earlier and the next one begins as much later, so that whatever side the model counts the time
// itself to, no step sees the other one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/loop.hpp"

namespace daedalus {

// More than the rounding errors of the times t + c h of stages.
double Loop::beside_break(double t) const {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return 4.0 * epsilon * (std::abs(t) + std::abs(t_start_));
}

Loop::Goal Loop::towards(double t_end) const {
  const std::vector<double>& all = options_.break_times;
  const Goal end{t_end, t_end};
  if (all.empty()) return end;
  // What is nearer than this was crossed with the last one.
  const double from = current_.t + direction_ * 4.0 * beside_break(current_.t);
  const bool forward = direction_ > 0.0;
  const auto next = forward ? std::upper_bound(all.begin(), all.end(), from)
                            : std::lower_bound(all.begin(), all.end(), from);
  if (next == (forward ? all.end() : all.begin())) return end;
  const double t = forward ? *next : *(next - 1);
  if (direction_ * (t_end - t) < 0.0) return end;
  return {t_end, t - direction_ * beside_break(t), t, true, false};
}

// A run begins at its start as at any time.
bool Loop::at_break() const {
  return current_.t != t_start_ &&
         std::binary_search(options_.break_times.begin(), options_.break_times.end(), current_.t);
}

Status Loop::cross_break() {
  const double t = current_.t;
  system_->to_model(current_, model_.data());
  if (columns_) model_before_ = model_, modes_before_ = *system_->modes;
  return start_again(t + direction_ * beside_break(t), Jump::break_time,
                     fmt::format("At the break time t = {:.10g}", t));
}

}  // namespace daedalus
