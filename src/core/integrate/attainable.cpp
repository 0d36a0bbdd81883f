// SPDX-License-Identifier: BSD-3-Clause
// Error tests that rounding errors alone make fail: index 2 and 3 bring them into the estimate as
// 1/h and 1/h^2, and every shorter step has larger ones. Such a step is accepted, the next one may
// be longer, and a warning names what limits the accuracy.
#include <fmt/format.h>

#include <algorithm>

#include "integrate/loop.hpp"
#include "nonlinear/round_off.hpp"

namespace daedalus {
namespace {
// Estimates combine values of stages with factors of this size: so many times its noise they may
// be, and less where no index magnifies it.
constexpr double roundings_of_estimate = 64.0, roundings_of_index_1 = 4.0;
// Where no variable has a higher index two shorter steps have failed by then.
constexpr int min_rejections = 2;
// As if the test had been passed, with more to spare the more of it is noise: longer steps have
// less.
constexpr double min_value = 0.1, max_value = 0.8;
}  // namespace

bool Loop::hidden_in_round_off(Trial& trial) {
  const bool known = ((data_->said >> static_cast<unsigned>(Once::round_off_in_test)) & 1U) != 0U;
  // Once round-off is known to count, tests that are passed with it are looked at as well: their
  // values say nothing about the next step.
  const bool looked_at = measure_.has_higher_index()
                             ? known || !trial.accepted()
                             : !trial.accepted() && history_.rejections >= min_rejections;
  if (fixed_ || !looked_at || !policy_.repairs() || !round_off_ || !system_->residual_view() ||
      trial.attempt.estimates.empty())
    return false;
  const Eigen::MatrixXd* noise =
      round_off_->noise(system_->residual_view()->residual_pencil(), stepper_->trial().x.data());
  if (!noise) return false;
  ErrorTest worst;
  for (const ErrorTest& t : trial.tests)
    if (t.order == trial.request.order && t.value > worst.value) worst = t;
  const double h = trial.request.h;
  double level = 0.0;
  const auto n = static_cast<std::size_t>(noise->rows());
  for (Eigen::Index k = 0; k < noise->cols(); ++k)
    level = std::max(
        level, measure_.value_of(trial.attempt.estimates.front(), {noise->col(k).data(), n}, h));
  const double explained =
      (measure_.has_higher_index() ? roundings_of_estimate : roundings_of_index_1) * level;
  if (worst.worst < 0 || !(worst.value <= explained)) return false;
  if (!trial.accepted() && warn_once(Once::round_off_in_test))
    warn(fmt::format(
        "Round-off limits the accuracy: at t = {:.6g} the error test of '{}' fails with {:.2g} "
        "tolerances in steps of {:.1e}, and rounding errors explain that; shorter steps have more. "
        "Such steps are accepted. About {:.1e} is attainable here instead of rtol = {:.1e}, more "
        "if the index of the equations is lowered.",
        current_.t, system_->layout.name(worst.worst), worst.value, std::abs(h),
        options_.rtol * std::max(1.0, worst.value), options_.rtol));
  trial.tests = measure_.passed(trial.tests.size(),
                                std::clamp(worst.value / explained, min_value, max_value));
  trial.decision = decide(trial);
  return true;
}

}  // namespace daedalus
