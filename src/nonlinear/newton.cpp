#include "nonlinear/newton.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {
// Corrections below this share of a variable are rounding errors of the residual.
constexpr double round_off = 2e-15;
}  // namespace

Newton::Newton(System& system, NewtonSettings settings)
    : system_(system),
      view_(*system.residual_view()),
      settings_(settings),
      residual_(Eigen::VectorXd::Zero(system.layout.tangents())),
      guess_(Eigen::VectorXd::Zero(system.layout.points())),
      magnitude_(Eigen::VectorXd::Zero(system.layout.tangents())) {}

Newton::Result Newton::solve(const State& from, double t_new, double h,
                             const Eigen::VectorXd& weight, Eigen::VectorXd& x,
                             Eigen::VectorXd& dd) {
  guess_ = x;
  system_.layout.magnitude(x.data(), magnitude_.data());
  Result result;
  for (int round = 0; round < 2; ++round) {
    const bool old = have_jacobian_ && !stale_ && round == 0;
    if (!old) {
      if (Outcome o = view_.difference(from, t_new, x.data(), h, dd.data()); o != Outcome::ok)
        return {o};
      if (Outcome o = view_.linearise(t_new, x.data(), dd.data()); o != Outcome::ok) return {o};
      have_jacobian_ = true;
      stale_ = false;
      alpha_ = 0.0;
      slowest_ = 0.0;
    }
    if (alpha_ != 1.0 / h) {
      alpha_ = 1.0 / h;
      if (Outcome o = view_.residual_pencil().factorise(alpha_, 1.0); o != Outcome::ok) {
        have_jacobian_ = false;
        result.outcome = o;
        result.culprit = {Culprit::Kind::variable, view_.residual_pencil().singular_column()};
        if (old) continue;
        return result;
      }
    }
    result = iterate(from, t_new, h, weight, x, dd);
    if (result.outcome == Outcome::ok) {
      stale_ = result.rate > settings_.slow_rate;
      return result;
    }
    if (result.outcome != Outcome::newton_failed || !old) break;
    x = guess_;
  }
  system_.counter.now().newton_failures += 1;
  stale_ = true;
  return result;
}

Newton::Result Newton::iterate(const State& from, double t_new, double h,
                               const Eigen::VectorXd& weight, Eigen::VectorXd& x,
                               Eigen::VectorXd& dd) {
  Result result;
  double last = 0.0;
  const int n = system_.layout.tangents();
  for (int k = 0; k < settings_.most_iterations; ++k) {
    if (Outcome o = view_.difference(from, t_new, x.data(), h, dd.data()); o != Outcome::ok)
      return {o, k};
    if (Outcome o = view_.residual(t_new, x.data(), dd.data(), residual_.data()); o != Outcome::ok)
      return {o, k};
    residual_ *= -1.0;
    view_.residual_pencil().solve(residual_.data());
    system_.counter.now().newton_iterations += 1;
    result.iterations = k + 1;
    double sum = 0.0, worst = -1.0;
    bool negligible = true;
    for (int i = 0; i < n; ++i) {
      const double r = std::abs(residual_[i]) / weight[i];
      negligible = negligible && std::abs(residual_[i]) <=
                                     round_off * magnitude_[i] + 1e-3 * settings_.kappa * weight[i];
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
      slowest_ = std::max(slowest_, std::min(result.rate, 0.99));
      if (result.rate >= 1.0 && size > settings_.kappa) {
        result.outcome = Outcome::newton_failed;
        return result;
      }
    }
    // The first correction may remove most of the error and hide how slowly the rest contracts, so
    // the slowest rate seen with this Jacobian counts, and a rate from two corrections alone is not
    // trusted below 0.3. One iteration proves nothing unless its correction is negligible.
    const double rate = k == 1 ? std::max(slowest_, 0.3) : slowest_;
    const double ahead = rate / (1.0 - rate) * size;
    if (negligible || (k > 0 && ahead <= settings_.kappa)) {
      if (Outcome o = view_.difference(from, t_new, x.data(), h, dd.data()); o != Outcome::ok)
        return {o, k};
      return result;
    }
    last = size;
  }
  result.outcome = Outcome::newton_failed;
  return result;
}

void Newton::archive(Archive& a) {
  a(have_jacobian_, stale_, alpha_, slowest_);
  view_.residual_pencil().archive(a);
}

}  // namespace daedalus
