// SPDX-License-Identifier: BSD-3-Clause
// Formulations in local charts: between two steps the system may lay a new one, and the method goes
// on from the same state in its coordinates, with its past where it uses one (Arnold 1998, Example
// 5; Potra, Yen 1991).
#include <algorithm>

#include "integrate/loop.hpp"

namespace daedalus {

// The state is the same in other coordinates: step size, order and what the control remembers stay.
Status Loop::renew_chart() {
  if (!system_->model_system()) return Status::success;
  const PhaseScope phase(system_->counter, Phase::start);
  if (!system_->chart_degraded(current_)) return Status::success;
  const auto past = std::span(past_).first(static_cast<std::size_t>(past_count_));
  if (const Outcome o = system_->change_chart(current_, past, past_count_); o != Outcome::ok)
    return fail(o, {}, {}, 0.0);
  ++data_->statistics.chart_changes;
  interpolant_.h = 0.0;
  Outcome o = Outcome::no_start_values;
  if (past_count_ > 0) o = hand_over_past(std::min({past_count_, order_ + 1, method_.max_order}));
  if (o == Outcome::no_start_values)
    o = stepper_->start({StartReason::chart_change, current_, known_ ? &known_ : nullptr, fixed_});
  return o == Outcome::ok ? Status::success : fail(o, {}, {}, 0.0);
}

// A multistep method starts at the oldest value it can use and takes those that follow as known
// ones, up to the present state. One that does not take them says so by its trial.
Outcome Loop::hand_over_past(int most) {
  if (!in_new_chart_)
    in_new_chart_ = [this](double t, State& s) {
      const auto last = past_.begin() + past_count_;
      const auto found =
          std::find_if(past_.begin(), last, [t](const State& p) { return p.t == t; });
      if (found == last && t != current_.t) return known_ && known_(t, s);
      s.x = found == last ? current_.x : found->x;
      return true;
    };
  while (most > 0) {
    const State& oldest = past_[static_cast<std::size_t>(most - 1)];
    if (const Outcome o =
            stepper_->start({StartReason::chart_change, oldest, &in_new_chart_, fixed_});
        o != Outcome::ok)
      return o;
    int taken = 0;
    for (; taken < most; ++taken) {
      const auto at = [&](int back) -> const State& {
        return back < 0 ? current_ : past_[static_cast<std::size_t>(back)];
      };
      const State &from = at(most - 1 - taken), &to = at(most - 2 - taken);
      const double h = to.t - from.t;
      const Attempt a = stepper_->attempt(
          {number_, from.t, h, to.t, order_ + 1, measure_.begin(from, h), &measure_.scale()});
      if (a.outcome != Outcome::ok || stepper_->trial().x != to.x) break;
      stepper_->commit(false);
    }
    if (taken == most) return Outcome::ok;
    most = taken;
  }
  return Outcome::no_start_values;
}

}  // namespace daedalus
