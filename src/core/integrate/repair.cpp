// Errors that earlier steps left in algebraic variables do not shrink with h where solution and
// embedded solution damp them differently (ros34pw2, dae4s), and a jump of an algebraic variable
// does not either: no step is then short enough. The variables are solved for again from the
// present y, and the method starts anew.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "integrate/loop.hpp"

namespace daedalus {
namespace {
// So often in a row an error may stay, within this ratio, while the step falls; and so many
// tolerances it may be.
constexpr int most_stays = 6;
constexpr const char* left_text =
    "this error was left by the step before, and the present one was accepted with it";
constexpr double same = 1.1, shorter = 0.8, most_tolerances = 100.0;
}  // namespace

// With index 2 that can happen to methods that solve all equations in every step: what Newton's
// method leaves in a constraint, less than the tolerance, jumps back in the next step, however
// short it is. That step ends without the jump, so it may be accepted.
bool Loop::left_by_earlier_steps(std::span<const ErrorTest> tests, double h) {
  if (method_.view != View::residual || method_.stability == Stability::none || number_ == 0)
    return false;
  const auto worst =
      std::max_element(tests.begin(), tests.end(),
                       [](const ErrorTest& a, const ErrorTest& b) { return a.value < b.value; });
  if (worst == tests.end() || worst->worst < 0) return false;
  const double value = worst->value;
  const bool again = current_.t == stays_.t && std::abs(h) < shorter * std::abs(stays_.h) &&
                     value < same * stays_.value && same * value > stays_.value;
  stays_ = {current_.t, h, value, again ? stays_.count + 1 : 0};
  if (stays_.count < most_stays || value > most_tolerances) return false;
  const auto told = [](const std::string& w) { return w.find(left_text) != w.npos; };
  if (std::none_of(data_->warnings.begin(), data_->warnings.end(), told))
    warn(fmt::format(
        "At t = {:.6g} the error test of '{}' failed with {:.2g} tolerances for every step down to "
        "{:.2g}: {}. Later ones are not told.",
        current_.t, system_->layout.name(worst->worst), value, std::abs(h), left_text));
  return true;
}

// False: they satisfy their equations, and the error test fails for another reason.
bool Loop::repair() {
  static const char* const text =
      "Algebraic variables were solved for again during the run (statistics().restarts tells how "
      "often): errors of earlier steps or a jump had violated their equations by more than the "
      "tolerance.";
  // Near a singularity this must not go on for ever.
  const bool often = repairs_ > 10 + data_->statistics.accepted / 10;
  // Methods of the residual view solve their algebraic equations in every step.
  const bool suits = method_.view == View::linear || method_.view == View::partitioned;
  if (!suits || fixed_ || parameters_.grow_after_rejection || number_ == 0 || often || known_ ||
      system_->mechanical_view() || !system_->linear_view())
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
  std::vector<std::string>& warnings = data_->warnings;
  if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) warnings.push_back(text);
  if (restart(StartReason::event) == Status::success)
    h_ = direction_ * std::min(h, std::abs(first_step(current_.t + direction_ * 1000.0 * h)));
  return true;
}

}  // namespace daedalus
