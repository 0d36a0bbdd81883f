// Jacobians by difference quotients, one evaluation per colour.
#include <algorithm>
#include <cmath>

#include "system/jacobian.hpp"

namespace daedalus {
namespace {
// A variable that has been zero so far has no size of its own; its shift must still be seen beside
// the other variables of its block.
constexpr double no_size = 1e-10, share_of_block = 1e-3;
}  // namespace

// Largest magnitude seen of each variable, or a share of its block's.
void JacobianEvaluator::update_sizes() {
  size_x_ = size_x_.cwiseMax(increment_);
  for (const LayoutBlock& b : layout_.blocks()) {
    auto block = size_x_.segment(b.tangent, b.space.tangents());
    const double largest = std::max(block.maxCoeff(), share_of_block);
    for (double& size : block)
      if (size < no_size * largest) size = share_of_block * largest;
  }
}

Outcome JacobianEvaluator::by_differences(double t, const double* x, const double* xd,
                                          Failure& failure) {
  const auto call = [&](double at, const double* y, const double* yd, Eigen::VectorXd& r) {
    const Outcome o = guarded(failure, at, [&] { return map_.value(at, y, yd, r.data()); });
    if (o != Outcome::ok) failure.function = map_.running();
    return o;
  };
  // The difference of two values carries their noise over the shift, the quotient the shift itself.
  const bool given = given_increment_ > 0.0;
  const double share = given ? given_increment_ : std::sqrt(map_.noise());
  layout_.magnitude(x, increment_.data());
  if (given)
    size_x_ = increment_.cwiseMax(1.0);
  else
    update_sizes();
  if (xd)
    for (int j = 0; j < n_; ++j) size_xd_[j] = std::max({size_xd_[j], std::abs(xd[j]), 1e-6});
  if (const Outcome o = call(t, x, xd, base_); o != Outcome::ok) return o;
  for (const Lane& lane : lanes_) {
    if (lane.part == Part::t) {
      const double tau = share * std::max(std::abs(t), given ? 1.0 : time_scale);
      if (const Outcome o = call(t + tau, x, xd, moved_); o != Outcome::ok) return o;
      dt = (moved_ - base_) / tau;
      continue;
    }
    const bool of_x = lane.part == Part::x;
    const std::vector<int>& colour = colouring(lane.part).colour;
    shift_.setZero();
    for (int j = 0; j < n_; ++j)
      if (colour[static_cast<std::size_t>(j)] == lane.colour)
        shift_[j] = share * (of_x ? size_x_ : size_xd_)[j];
    Outcome o = Outcome::ok;
    if (of_x) {
      layout_.plus(x, shift_.data(), point_.data());
      if (layout_.euclidean())
        for (int j = 0; j < n_; ++j) shift_[j] = point_[j] - x[j];
      o = call(t, point_.data(), xd, moved_);
    } else {
      for (int j = 0; j < n_; ++j) increment_[j] = xd[j] + shift_[j];
      for (int j = 0; j < n_; ++j) shift_[j] = increment_[j] - xd[j];
      o = call(t, x, increment_.data(), moved_);
    }
    if (o != Outcome::ok) return o;
    SparseValues& target = of_x ? dx : dxd;
    const SparsePattern& pattern = target.pattern;
    for (int j = 0; j < n_; ++j) {
      if (colour[static_cast<std::size_t>(j)] != lane.colour) continue;
      for (int e = pattern.start[static_cast<std::size_t>(j)];
           e < pattern.start[static_cast<std::size_t>(j) + 1]; ++e) {
        const int row = pattern.row[static_cast<std::size_t>(e)];
        target.values[static_cast<std::size_t>(e)] = (moved_[row] - base_[row]) / shift_[j];
      }
    }
  }
  return first_not_finite() ? Outcome::not_finite : Outcome::ok;
}

}  // namespace daedalus
