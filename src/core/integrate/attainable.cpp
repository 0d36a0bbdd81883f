// SPDX-License-Identifier: BSD-3-Clause
// Error tests that rounding errors alone make fail: index 2 and 3 bring them into the estimate as
// 1/h and 1/h^2, and every shorter step has larger ones. Such a step is accepted, the next one may
// be longer, and a warning names what limits the accuracy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/loop.hpp"
#include "nonlinear/round_off.hpp"

namespace daedalus {
namespace {
// An estimate, not derived: less than below, for no index magnifies the noise.
constexpr double roundings_of_index_1 = 4.0;
// Where no variable has a higher index two shorter steps have failed by then.
constexpr int min_rejections = 2;
// As if the test had been passed, with more to spare the more of it is noise: longer steps have
// less.
constexpr double min_value = 0.1, max_value = 0.8;

bool has_run_away(const Eigen::VectorXd& start, double now) {
  // An estimate, not derived: set where runs of the soak ran away in silence.
  constexpr double much = 1e10;
  return start.size() > 0 && now > much * std::max(1.0, start.cwiseAbs().maxCoeff());
}
}  // namespace

// Rounding errors of E give equations of index 3 roots of size epsilon^(-1/3), 2e5, of either sign,
// and those of index 2 of size 7e7. Steps that are short against them follow what they drive, and a
// relative tolerance grows with it.
void Loop::tell_growth() {
  if (data_->status != Status::success || fixed_ || data_->start.size() == 0 ||
      !(measure_.has_higher_index() || measure_.tests_a_part()))
    return;
  const double before = data_->start.cwiseAbs().maxCoeff();
  system_->to_model(current_, model_.data());
  Eigen::Index worst = 0;
  const double after = model_.cwiseAbs().maxCoeff(&worst);
  if (!has_run_away(data_->start, after) || !warn_once(Once::ran_away)) return;
  warn(fmt::format(
      "'{}' grew to {:.2g}, from values of at most {:.2g} at the start. Equations of index 2 and 3 "
      "have rounding errors that grow like this where steps are short ({:.1e} at least here). If "
      "the solution should stay bounded, loosen the tolerance or lower the index.",
      system_->variables->names[static_cast<std::size_t>(worst)], after, before,
      data_->statistics.h_min));
}

// A run may get through with a tolerance below the resolution of the numbers: its tests compare
// rounding errors with it, and see none where they cancel. No result has that accuracy.
void Loop::tell_resolution() {
  // Sums of a step round a few times in the last place.
  constexpr double resolution = 10.0 * std::numeric_limits<double>::epsilon();
  if (data_->status != Status::success || fixed_ || options_.rtol >= resolution) return;
  const Layout& layout = system_->layout;
  Eigen::VectorXd magnitude(layout.tangents());
  layout.magnitude(current_.x.data(), magnitude.data());
  const double share = data_->choice.tolerance_share;
  for (int i = 0; i < layout.tangents(); ++i) {
    const double asked = measure_.scale()[i] / share;
    if (!(asked < resolution * magnitude[i])) continue;
    if (!warn_once(Once::beyond_resolution)) return;
    return warn(fmt::format(
        "{}the tolerance asks for {:.1e} of the size of '{}', and numbers in double "
        "precision have {:.1e}. The errors are larger than the tolerance; rtol = {:.0e} "
        "is about what can be had.",
        round_off_warning, asked / magnitude[i], layout.name(i),
        std::numeric_limits<double>::epsilon(), resolution));
  }
}

// A tolerance that asks for more digits than the numbers have, and of which variable.
std::string Loop::below_round_off() {
  // Rounding errors of a step and of its Newton iteration, a twentieth of what it may leave.
  constexpr double resolved = 200.0 * std::numeric_limits<double>::epsilon();
  const Layout& layout = system_->layout;
  const Eigen::VectorXd& scale = measure_.scale();
  Eigen::VectorXd magnitude(layout.tangents());
  layout.magnitude(current_.x.data(), magnitude.data());
  for (int i = 0; i < layout.tangents(); ++i)
    if (scale[i] < resolved * magnitude[i])
      return fmt::format(
          "The tolerance is below round-off: {:.1e} of the size of '{}' is asked for, and steps in "
          "double precision resolve about {:.0e} of it. Loosen the tolerance. ",
          scale[i] / magnitude[i], layout.name(i), resolved);
  return {};
}

// Far from t = 0 times are numbers with few digits behind the point.
std::string Loop::below_round_off_of_time() {
  constexpr double coarse = 1e-12;  // of the run
  const double tick = std::numeric_limits<double>::epsilon() * std::abs(current_.t);
  if (!(tick > coarse * length_)) return {};
  for (int i = 0; i < static_cast<int>(current_.xd.size()); ++i)
    if (const double moved = tick * std::abs(current_.xd[i]); moved > measure_.scale()[i])
      return fmt::format(
          "The tolerance is below round-off of the time: at t = {:.6g} times are {:.1e} apart, and "
          "'{}' moves by {:.1e} meanwhile, {:.1e} tolerances. Count the time from another origin, "
          "or loosen the tolerance. ",
          current_.t, tick, system_->layout.name(i), moved, moved / measure_.scale()[i]);
  return {};
}

// What a run that fails has to say of rounding errors; empty: they are not to blame.
std::string Loop::round_off_limit() {
  if (std::string text = below_round_off(); !text.empty()) return text;
  take_warnings();
  const auto& said = data_->warnings;
  const bool known = std::any_of(said.begin(), said.end(), [](const std::string& w) {
    return w.starts_with(round_off_warning);
  });
  const bool magnified = known || measure_.has_higher_index() || measure_.tests_a_part();
  if (!round_off_ || !system_->residual_view() || !magnified) return below_round_off_of_time();
  const Eigen::MatrixXd* noise =
      round_off_->noise(system_->residual_view()->residual_pencil(), current_.x.data());
  Eigen::Index worst = 0;
  const double size =
      noise
          ? noise->cwiseAbs().rowwise().maxCoeff().cwiseQuotient(measure_.scale()).maxCoeff(&worst)
          : 0.0;
  // A state that has run away tells nothing else any more; what was said before does.
  std::string how = " (see the warnings)";
  Eigen::Index largest = 0;
  system_->to_model(current_, model_.data());
  const double now = model_.cwiseAbs().maxCoeff(&largest);
  if (size > 1.0)
    how = fmt::format(": in steps of {:.1e} they leave {:.1e} tolerances in '{}'", last_tried_,
                      size, system_->layout.name(static_cast<int>(worst)));
  else if (!known && has_run_away(data_->start, now))
    how = fmt::format(": '{}' has grown to {:.1e}",
                      system_->variables->names[static_cast<std::size_t>(largest)], now);
  else if (!known)
    return {};
  return fmt::format(
      "Rounding errors limit this run{}. Variables of index 2 and 3 are differentiated, which "
      "magnifies them by 1/h and 1/h^2, and shorter steps have more. Loosen the tolerance, or "
      "lower the index of the equations. ",
      how);
}

// Estimates and interpolants combine values of stages with factors of this size: so many times its
// noise they may be, and less where no index magnifies it. More stages have larger factors.
double Loop::roundings(int order) {
  constexpr double of_few_stages = 64.0;  // an estimate, not derived
  constexpr int few = 5;                  // the order of Radau's method with three
  return of_few_stages * std::exp2(0.5 * std::max(0, order - few));
}

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
      (measure_.has_higher_index() ? roundings(trial.request.order) : roundings_of_index_1) * level;
  if (worst.worst < 0 || !(worst.value <= explained)) return false;
  if (!trial.accepted() && warn_once(Once::round_off_in_test))
    warn(fmt::format(
        "{}at t = {:.6g} the error test of '{}' fails with {:.2g} "
        "tolerances in steps of {:.1e}, and rounding errors explain that; shorter steps have more. "
        "Such steps are accepted. About {:.1e} is attainable here instead of rtol = {:.1e}, more "
        "if the index of the equations is lowered.",
        round_off_warning, current_.t, system_->layout.name(worst.worst), worst.value, std::abs(h),
        options_.rtol * std::max(1.0, worst.value), options_.rtol));
  trial.tests = measure_.passed(trial.tests.size(),
                                std::clamp(worst.value / explained, min_value, max_value));
  trial.decision = decide(trial);
  return true;
}

}  // namespace daedalus
