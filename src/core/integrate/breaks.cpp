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

// At t = 0 the neighbouring numbers would be denormal ones.
double Loop::beside_break(double t) const {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return epsilon * std::max(std::abs(t), 0.01 * length_);
}

Loop::Goal Loop::towards(double t_end) const {
  Goal goal{t_end, t_end};
  const auto ahead = [&](double from, double to) { return direction_ * (to - from); };
  for (const double t : options_.break_times) {
    // What is nearer than this was crossed with the last one.
    const double beside = beside_break(t);
    if (ahead(current_.t, t) <= 4.0 * beside ||
        ahead(t, goal.at_break ? goal.break_time : t_end) < 0.0)
      continue;
    goal = {t_end, t - direction_ * beside, t, true, false};
  }
  return goal;
}

// A run begins at its start as at any time.
bool Loop::at_break() const {
  return current_.t != t_start_ &&
         std::binary_search(options_.break_times.begin(), options_.break_times.end(), current_.t);
}

Status Loop::cross_break() {
  const double t = current_.t;
  system_->to_model(current_, model_.data());
  return start_again(t + direction_ * beside_break(t), Jump::break_time,
                     fmt::format("At the break time t = {:.10g}", t));
}

}  // namespace daedalus
