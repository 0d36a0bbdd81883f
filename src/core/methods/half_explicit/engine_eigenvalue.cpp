// SPDX-License-Identifier: BSD-3-Clause
// What the stiffness notice asks of a step: its error and its end, and at times the dominant
// eigenvalue of y' = phi(t, y), z from the hidden constraints, by power iteration with differences
// of phi.
#include <algorithm>
#include <cmath>

#include "methods/half_explicit/engine.hpp"

namespace daedalus::half_explicit {

// In units that do not change with h, as the weights do, but with the size of the solution.
double HalfExplicitStepper::scaled_error(const Eigen::VectorXd& weight) {
  // Weights of variables that are not tested are infinite or of this size.
  constexpr double untested = 1e100;
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < differential_; ++i)
    if (weight[i] < untested) sum += weight[i], ++count;
  if (!(sum > 0.0)) return 0.0;
  scale_ = weight.head(differential_) * (count / sum);
  return error_.head(differential_).cwiseQuotient(scale_).norm() / std::sqrt(differential_);
}

void HalfExplicitStepper::watch_stiffness() {
  for (const LayoutBlock& b : system_.layout.blocks()) {
    const int n = b.space.tangents();
    if (b.tangent >= differential_ || n == 0) continue;
    if (b.cls == VariableClass::q)
      watched_.segment(b.tangent, n) = trial_.xd.segment(b.tangent, n);
    else
      watched_.segment(b.tangent, n) = current_.x.segment(b.point, n);
  }
  watch_.accepted(current_.t, h_, scaled_error_, watched_);
  if (!equations_->has_hidden_constraint() || !watch_.suspects(scale_)) return;
  const PhaseScope phase(system_.counter, Phase::output);  // for a message, not for the step
  watch_.conclude(dominant_mode());
}

// Column `to` of probe_ := J times column `from`.
bool HalfExplicitStepper::derivative(int from, int to) {
  // Between rounding and curvature of a one-sided difference.
  constexpr double size = 1e-7;
  const double u = probe_.col(from).cwiseAbs().maxCoeff();
  const double largest = size * (1.0 + watched_.cwiseAbs().maxCoeff());
  if (!(u > 0.0) || !std::isfinite(u)) return false;
  known_ = largest / u * probe_.col(from);
  points_.col(0) = current_.x;
  if (equations_->place(current_.t, known_.data(), points_.col(0).data()) != Outcome::ok ||
      equations_->rates(current_.t, points_.col(0).data(), known_.data(), true,
                        probe_.col(to).data()) != Outcome::ok)
    return false;
  probe_.col(to) = u / largest * (probe_.col(to) - probe_.col(3));
  return probe_.col(to).allFinite();
}

Mode HalfExplicitStepper::dominant_mode() {
  // Six products: enough for a mode that stands at the boundary of stability.
  constexpr int iterations = 3;
  equations_->begin(current_);
  points_.col(0) = current_.x;
  if (equations_->rates(current_.t, points_.col(0).data(), nullptr, true, probe_.col(3).data()) !=
      Outcome::ok)
    return {};
  probe_.col(2) = error_.head(differential_);
  for (int i = 0; i < iterations; ++i) {
    probe_.col(0) = probe_.col(2) / probe_.col(2).cwiseAbs().maxCoeff();
    if (!derivative(0, 1) || !derivative(1, 2)) return {};
  }
  // J^2 u = a J u + b u. Times the frequency q has the unit of v.
  const int n = differential_ - rate_count_;
  const auto size = [&](int j) {
    return probe_.col(j).tail(n).cwiseQuotient(scale_.tail(n)).norm();
  };
  if (!(size(0) > 0.0)) return {};
  known_ = scale_;
  known_.head(rate_count_) *= std::sqrt(size(0) / size(2));
  const auto product = [&](int i, int j) {
    return probe_.col(i).cwiseQuotient(known_).dot(probe_.col(j).cwiseQuotient(known_));
  };
  const double uu = product(0, 0), ww = product(1, 1), uw = product(0, 1), ux = product(0, 2),
               wx = product(1, 2);
  if (!(uu > 0.0) || !(ww > 0.0)) return {};
  const double determinant = uu * ww - uw * uw;
  // Backwards in time what grows decays.
  const double direction = h_ < 0.0 ? -1.0 : 1.0;
  // Two products in one direction: one real eigenvalue.
  constexpr double parallel = 1e-4;
  if (determinant < parallel * uu * ww) return {direction * uw / uu, 0.0};
  return {direction * (uu * wx - uw * ux) / determinant, (ww * ux - uw * wx) / determinant};
}

}  // namespace daedalus::half_explicit
