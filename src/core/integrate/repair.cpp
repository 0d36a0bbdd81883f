// SPDX-License-Identifier: BSD-3-Clause
// Errors that earlier steps left in algebraic variables do not shrink with h where solution and
// embedded solution damp them differently (ros34pw2, dae4s), and a jump of an algebraic variable
// does not either: no step is then short enough. The variables are solved for again from the
// present y, and the method starts anew.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "integrate/loop.hpp"
#include "system/communicator.hpp"

namespace daedalus {
// With index 2 that can happen to methods that solve all equations in every step: what Newton's
// method leaves in a constraint, less than the tolerance, jumps back in the next step, however
// short it is. That step ends without the jump, so it may be accepted. A jump of an algebraic
// variable, of any size, looks the same: the step behind it satisfies the equations there.
bool Loop::left_by_earlier_steps(std::span<const ErrorTest> tests, double h) {
  // So many tolerances the error may be that a step is accepted with.
  constexpr double max_tolerances = 100.0;
  // At the beginning of a run there are none. Behind a break time or an event there are: values
  // that are kept there come from them.
  if (method_.repair != Repair::accept_inherited || data_->statistics.accepted == 0 ||
      system_->layout.communicator().shared())
    return false;
  const auto worst =
      std::max_element(tests.begin(), tests.end(),
                       [](const ErrorTest& a, const ErrorTest& b) { return a.value < b.value; });
  if (worst == tests.end() || worst->worst < 0) return false;
  const double value = worst->value;
  const bool stays = stays_.add(current_.t, h, value);
  // Constraints of index 2 make differential variables jump, too: by what errors of earlier steps
  // leave in a branch that begins to count.
  const bool jumps = stays_.jumps() && (value <= max_tolerances || is_algebraic(worst->worst));
  if (!jumps && !(stays && value <= max_tolerances)) return false;
  jumped_ = jumps;
  stays_.forget();
  if (warn_once(jumps ? Once::jump_accepted : Once::error_left_behind))
    warn(fmt::format(
        "At t = {:.6g} the error test of '{}' failed with {:.2g} tolerances for every step down to "
        "{:.2g}: {}, and the present one was accepted with it. Further steps like this one are not "
        "reported.",
        current_.t, system_->layout.name(worst->worst), value, std::abs(h),
        jumps ? "it jumps there" : "this error was left by the step before"));
  return true;
}

// A tangent coordinate whose derivative the equations do not contain.
bool Loop::is_algebraic(int coordinate) {
  if (system_->model_system() || !system_->layout.euclidean()) return false;
  const std::vector<int> kept = differentiated(*system_, current_);
  return !kept.empty() && std::find(kept.begin(), kept.end(), coordinate) == kept.end();
}

// What earlier steps left in the memory of a method, and rates over the jump, end there.
Status Loop::leave_jump() {
  jumped_ = false;
  system_->to_model(current_, model_.data());
  return start_again(current_.t, Jump::break_time,
                     fmt::format("After a jump at t = {:.10g}", current_.t));
}

// False: they satisfy their equations, and the error test fails for another reason.
bool Loop::repair() {
  // Near a singularity this must not go on for ever.
  const bool often = repairs_ > 10 + data_->statistics.accepted / 10;
  if (method_.repair != Repair::solve_algebraic || fixed_ || !policy_.repairs() || number_ == 0 ||
      often || known_ || system_->mechanical_view() || !system_->linear_view() ||
      system_->layout.communicator().shared())
    return false;
  StartRequest request;
  request.strategy = StartStrategy::solve;
  request.weight = measure_.scale();
  State moved = current_;
  const StartReport report = make_consistent(*system_, moved, request);
  if (report.status != Status::success || !report.changed) {
    // A method may keep its Jacobian over rejections: it finds that of the present state again.
    const PhaseScope phase(system_->counter, Phase::start);
    system_->linear_view()->linearise(current_.t, current_.x.data());
    return false;
  }
  ++repairs_;
  const double h = std::abs(history_.h_last);
  current_ = std::move(moved);
  recorder_->jump(current_);
  if (warn_once(Once::algebraic_solved_again))
    warn(
        "Algebraic variables were solved for again during the run (statistics().restarts tells how "
        "often): errors of earlier steps or a jump had violated their equations by more than the "
        "tolerance.");
  if (restart(StartReason::event) == Status::success)
    h_ = direction_ * std::min(h, std::abs(first_step(current_.t + direction_ * 1000.0 * h)));
  return true;
}

}  // namespace daedalus
