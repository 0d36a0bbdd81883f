// SPDX-License-Identifier: BSD-3-Clause
// Jacobians by difference quotients, one evaluation per colour.
#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/at.hpp"
#include "system/jacobian.hpp"

namespace daedalus {
namespace {
// A variable that has been zero so far has no size of its own; its shift must still be seen beside
// the other variables of its block.
constexpr double no_size = 1e-10, share_of_block = 1e-3;
// Equations are linear in rates, or nearly so: a shift of their own size loses no digits.
constexpr double share_of_linear_rate = 0.5;
// Iterations with new matrices: a step may be too long for one of them. With index 2 one is
// enough, with index 3 none is waited for, unless contact coordinates follow profiles, which long
// shifts blur.
constexpr int max_failures_in_a_row = 2;
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

// Differences sum_i weight_i f(x + at_i shift) over the shift; `base`: without f(x).
struct JacobianEvaluator::Stencil {
  int points;
  std::array<double, 4> at, weight;
  bool base;
  double share_of_t, share_of_x, share_of_rate;  // shifts, of sizes seen
};

void JacobianEvaluator::watch_failures(long failures) {
  if (!differences_ || sharp_) return;
  failed_in_a_row_ = failures > newton_failures_ ? failed_in_a_row_ + 1 : 0;
  newton_failures_ = failures;
  int index = 1;
  bool contact = false;
  for (const LayoutBlock& b : layout_.blocks()) {
    index = std::max(index, b.index);
    contact = contact || b.cls == VariableClass::s;
  }
  const int patience = index == 1 ? max_failures_in_a_row : index == 2 || contact ? 1 : 0;
  if (failed_in_a_row_ >= patience) sharpen();
}

Outcome JacobianEvaluator::by_differences(double t, const double* x, const double* xd,
                                          Failure& failure) {
  // The difference of two values carries their noise over the shift, the quotient the shift itself.
  const double share = given_increment_ > 0.0 ? given_increment_ : std::sqrt(map_.noise());
  if (sharp_) {
    const double fifth_root = std::pow(map_.noise(), 0.2);
    const Stencil fourth_order{4,
                               {1.0, -1.0, 2.0, -2.0},
                               {2.0 / 3.0, -2.0 / 3.0, -1.0 / 12.0, 1.0 / 12.0},
                               false,
                               share,
                               fifth_root,
                               share_of_linear_rate};
    // Longer shifts may leave the domain of a callable.
    if (by_stencil(t, x, xd, failure, fourth_order) == Outcome::ok) return Outcome::ok;
  }
  return by_stencil(t, x, xd, failure, {1, {1.0}, {1.0}, true, share, share, share});
}

Outcome JacobianEvaluator::by_stencil(double t, const double* x, const double* xd, Failure& failure,
                                      const Stencil& stencil) {
  const bool given = given_increment_ > 0.0;
  layout_.magnitude(x, increment_.data());
  if (given)
    size_x_ = increment_.cwiseMax(1.0);
  else
    update_sizes();
  if (xd)
    for (int j = 0; j < n_; ++j) size_xd_[j] = std::max({size_xd_[j], std::abs(xd[j]), 1e-6});
  if (stencil.base) {
    const Outcome o = guarded(failure, t, [&] { return map_.value(t, x, xd, base_.data()); });
    if (o != Outcome::ok) failure.function = map_.running();
    if (o != Outcome::ok) return o;
  }
  for (const Lane& lane : lanes_)
    if (const Outcome o = difference(t, x, xd, failure, lane, stencil); o != Outcome::ok) return o;
  return first_not_finite() ? Outcome::not_finite : Outcome::ok;
}

// One colour.
Outcome JacobianEvaluator::difference(double t, const double* x, const double* xd, Failure& failure,
                                      const Lane& lane, const Stencil& stencil) {
  const bool of_x = lane.part == Part::x, of_t = lane.part == Part::t;
  const double tau =
      stencil.share_of_t * std::max(std::abs(t), given_increment_ > 0.0 ? 1.0 : time_scale);
  shift_.setZero();
  if (!of_t) {
    const std::vector<int>& colour = colouring(lane.part).colour;
    for (int j = 0; j < n_; ++j)
      if (colour[static_cast<std::size_t>(j)] == lane.colour)
        shift_[j] = of_x ? stencil.share_of_x * size_x_[j] : stencil.share_of_rate * size_xd_[j];
  }
  if (stencil.base)
    sum_ = -base_;
  else
    sum_.setZero(m_);
  for (int k = 0; k < stencil.points; ++k) {
    const double factor = stencil.at[at(k)];
    const double* moved_x = x;
    const double* moved_xd = xd;
    if (of_x) {
      increment_ = factor * shift_;
      layout_.plus(x, increment_.data(), point_.data());
      if (k == 0 && layout_.euclidean())  // as it was rounded
        for (int j = 0; j < n_; ++j) shift_[j] = point_[j] - x[j];
      moved_x = point_.data();
    } else if (!of_t) {
      for (int j = 0; j < n_; ++j) increment_[j] = xd[j] + factor * shift_[j];
      if (k == 0)
        for (int j = 0; j < n_; ++j) shift_[j] = increment_[j] - xd[j];
      moved_xd = increment_.data();
    }
    const double when = of_t ? t + factor * tau : t;
    const Outcome o =
        guarded(failure, when, [&] { return map_.value(when, moved_x, moved_xd, moved_.data()); });
    if (o != Outcome::ok) failure.function = map_.running();
    if (o != Outcome::ok) return o;
    sum_ += stencil.weight[at(k)] * moved_;
  }
  if (of_t) {
    dt = sum_ / tau;
    return Outcome::ok;
  }
  const std::vector<int>& colour = colouring(lane.part).colour;
  SparseValues& target = of_x ? dx : dxd;
  const SparsePattern& pattern = target.pattern;
  for (int j = 0; j < n_; ++j) {
    if (colour[static_cast<std::size_t>(j)] != lane.colour) continue;
    for (int e = pattern.start[static_cast<std::size_t>(j)];
         e < pattern.start[static_cast<std::size_t>(j) + 1]; ++e)
      target.values[static_cast<std::size_t>(e)] =
          sum_[pattern.row[static_cast<std::size_t>(e)]] / shift_[j];
  }
  return Outcome::ok;
}

}  // namespace daedalus
