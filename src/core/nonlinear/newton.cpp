#include "nonlinear/newton.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {
// Corrections below this share of a variable are rounding errors of the residual.
constexpr double least_correction = 2e-15;
// A correction this much smaller than the first that does not shrink any more is rounding error.
constexpr double stuck = 1e-3;
// What an iterative solver may leave of a correction, in parts of what ends the iteration.
constexpr double negligible_residual = 0.1;
constexpr int most_refreshed = 3;  // Jacobians in one step
// A first correction of so many tolerances is none of a step that the error test would accept.
constexpr double far = 10.0;
// A contraction rate that was not measured grows from step to step: the Jacobian ages.
constexpr double ageing = 1.2, least_assumed = 1e-3, unknown = 1.0;
}  // namespace

Newton::Newton(System& system, NewtonSettings settings)
    : system_(system),
      view_(*system.residual_view()),
      settings_(settings),
      residual_(Eigen::VectorXd::Zero(system.layout.tangents())),
      guess_(Eigen::VectorXd::Zero(system.layout.points())),
      magnitude_(Eigen::VectorXd::Zero(system.layout.tangents())),
      noise_(Eigen::VectorXd::Zero(system.layout.tangents())) {
  for (const LayoutBlock& b : system.layout.blocks())
    largest_index_ = std::max(largest_index_, b.index);
}

// Rounding errors of a variable reach those of higher index as differences of index - 1 fold: times
// alpha^(index - 1) (Arnold 1998, section 2.2).
void Newton::find_noise(double alpha) {
  noise_ = magnitude_;
  if (largest_index_ < 2) return;
  const double largest = magnitude_.maxCoeff();
  for (const LayoutBlock& b : system_.layout.blocks())
    if (b.index > 1)
      noise_.segment(b.tangent, b.space.tangents()).array() +=
          largest * std::pow(std::abs(alpha), b.index - 1);
}

bool Newton::fits(double alpha) const {
  return alpha_ != 0.0 && std::abs(alpha / alpha_ - 1.0) <= settings_.alpha_range;
}

Newton::Result Newton::solve(double t_new, double alpha, const DifferenceFormula& formula,
                             const Eigen::VectorXd& weight, Eigen::VectorXd& x,
                             Eigen::VectorXd& dd) {
  guess_ = x;
  system_.layout.magnitude(x.data(), magnitude_.data());
  find_noise(alpha);
  if (MatrixFree* products = view_.residual_pencil().matrix_free())
    products->measure_in(weight.data(), negligible_residual * settings_.kappa);
  Result result;
  int refreshed = 0;
  bool own_alpha = settings_.alpha_range == 0.0;
  // Old factors, then the old Jacobian with its alpha, then everything new.
  for (;;) {
    const bool old = have_jacobian_ && !stale_;
    if (!old) {
      if (Outcome o = formula(x.data(), dd.data()); o != Outcome::ok) return {o};
      if (Outcome o = view_.linearise(t_new, x.data(), dd.data()); o != Outcome::ok) return {o};
      have_jacobian_ = true;
      stale_ = false;
      alpha_ = 0.0;
      slowest_ = 0.0;
      assumed_ = unknown;
      ++refreshed;
    }
    if (!fits(alpha) || (own_alpha && alpha_ != alpha)) {
      // Rates of a much shorter or longer step say little about this one.
      if (alpha_ != 0.0 && std::abs(alpha / alpha_ - 1.0) > 0.4) assumed_ = unknown;
      alpha_ = alpha;
      if (Outcome o = view_.residual_pencil().factorise(alpha_, 1.0); o != Outcome::ok) {
        have_jacobian_ = false;
        alpha_ = 0.0;
        result.outcome = o;
        result.culprit = {Culprit::Kind::variable, view_.residual_pencil().singular_column()};
        if (old) continue;
        return result;
      }
    }
    result = iterate(t_new, alpha, formula, weight, !old, x, dd);
    if (result.outcome == Outcome::ok) {
      stale_ = result.rate > settings_.slow_rate && alpha_ == alpha;
      return result;
    }
    if (result.outcome != Outcome::newton_failed && result.outcome != Outcome::krylov_failed) break;
    if (old) {
      x = guess_;
      stale_ = alpha_ == alpha;
      own_alpha = true;
    } else if (result.iterations == settings_.most_iterations && result.rate < 0.9 &&
               refreshed < most_refreshed) {
      stale_ = true;  // slow, but on its way: a Jacobian where it has got to
    } else {
      break;
    }
  }
  system_.counter.now().newton_failures += 1;
  stale_ = true;
  return result;
}

Newton::Result Newton::iterate(double t_new, double alpha, const DifferenceFormula& formula,
                               const Eigen::VectorXd& weight, bool fresh, Eigen::VectorXd& x,
                               Eigen::VectorXd& dd) {
  Result result;
  double last = 0.0, first = 0.0;
  const int n = system_.layout.tangents();
  const double factor = alpha == alpha_ ? -1.0 : -2.0 / (1.0 + alpha / alpha_);
  for (int k = 0; k < settings_.most_iterations; ++k) {
    if (Outcome o = formula(x.data(), dd.data()); o != Outcome::ok) return {o, k};
    if (Outcome o = view_.residual(t_new, x.data(), dd.data(), residual_.data()); o != Outcome::ok)
      return {o, k};
    residual_ *= factor;
    if (!view_.residual_pencil().solve(residual_.data())) {
      result.outcome = Outcome::krylov_failed;
      result.iterations = k;
      return result;
    }
    system_.counter.now().newton_iterations += 1;
    result.iterations = k + 1;
    double sum = 0.0, worst = -1.0;
    bool negligible = true, noise = true;
    for (int i = 0; i < n; ++i) {
      const double r = std::abs(residual_[i]) / weight[i];
      negligible = negligible && std::abs(residual_[i]) <= least_correction * magnitude_[i] +
                                                               1e-3 * settings_.kappa * weight[i];
      noise = noise && (r <= settings_.kappa ||
                        std::abs(residual_[i]) <= 4.0 * least_correction * noise_[i]);
      sum += r * r;
      if (r > worst) worst = r, result.culprit = {Culprit::Kind::variable, i};
    }
    const double size = std::sqrt(sum / n);
    if (!std::isfinite(size)) {
      result.outcome = Outcome::newton_failed;
      return result;
    }
    system_.layout.plus(x.data(), residual_.data(), x.data());
    if (k > 0) {
      result.rate = size / last;
      // With many steps per Jacobian one slow step must not count for ever (as in CVODE).
      const double kept = settings_.trust_rate ? 0.3 * slowest_ : slowest_;
      slowest_ = std::max(kept, std::min(result.rate, 0.99));
      // A Jacobian that was formed at this very point converges faster than it will in later steps.
      assumed_ = fresh ? unknown : std::max(slowest_, least_assumed);
      measured_at_ = first;
      const bool low = size <= settings_.stagnation;
      const bool level = result.rate >= 0.3 && (noise || (low && size <= stuck * first));
      if (settings_.stagnation > 0.0 && level) negligible = true;
      if (result.rate >= 0.9 && low) negligible = true;
      if (!negligible && result.rate >= 1.0 && size > settings_.kappa) {
        result.outcome = Outcome::newton_failed;
        return result;
      }
    }
    // The first correction may remove most of the error and hide how slowly the rest contracts, so
    // the slowest rate seen with this Jacobian counts, and a rate from two corrections alone is not
    // trusted below 0.3. One iteration proves nothing unless its correction is negligible, or the
    // method repeats nearly the same iteration in each step and trusts the rate of earlier ones.
    const bool doubtful = !settings_.trust_rate || first > far;
    double rate = k == 1 && doubtful ? std::max(slowest_, 0.3) : slowest_;
    if (k == 0) {
      // It is the distance that makes a Jacobian wrong: longer corrections converge more slowly.
      const double longer = size > measured_at_ ? size / std::max(measured_at_, 1e-100) : 1.0;
      assumed_ = std::min(unknown, ageing * assumed_ * longer);
      if (longer > 1.0) measured_at_ = size;
      // What another alpha leaves in components that are as stiff as one step is long.
      rate = std::max(assumed_, 0.5 * std::abs(alpha / alpha_ - 1.0));
    }
    const double ahead = rate < 1.0 ? rate / (1.0 - rate) * size : size / settings_.kappa;
    const bool judged = k > 0 || (settings_.trust_rate && rate < 1.0);
    if (negligible || (judged && ahead <= settings_.kappa)) {
      if (Outcome o = formula(x.data(), dd.data()); o != Outcome::ok) return {o, k};
      return result;
    }
    if (k == 0) first = size;
    last = size;
  }
  if (last > settings_.stagnation) result.outcome = Outcome::newton_failed;
  return result;
}

void Newton::archive(Archive& a) {
  a(have_jacobian_, stale_, alpha_, slowest_, assumed_, measured_at_);
  view_.residual_pencil().archive(a);
}

}  // namespace daedalus
