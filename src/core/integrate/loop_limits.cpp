// SPDX-License-Identifier: BSD-3-Clause
// How long a step may be: the end rule, and the first step after a start.
#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/loop.hpp"

namespace daedalus {

StepRequest Loop::limit(const Goal& goal) {
  double h = h_;
  const double longest = options_.max_step;
  if (!fixed_ && longest > 0.0 && std::abs(h) > longest) h = direction_ * longest;
  const double t_new = end_of_step(h, goal);
  h = t_new - current_.t;
  return {number_, current_.t, h, t_new, order_, measure_.begin(current_, h), &measure_.scale()};
}

double Loop::end_of_step(double h, const Goal& goal) const {
  const double remaining = goal.barrier - current_.t;
  double t_new = current_.t + h;
  if (options_.fixed_step > 0.0)
    t_new = fixed_origin_ + static_cast<double>(number_ + 1) * direction_ * options_.fixed_step;
  // Given steps add up to the end but for round-off.
  const double stretch = fixed_ ? 1e-9 : policy_.stretch();
  if (goal.landing || direction_ * (t_new - goal.barrier) >= -stretch * std::abs(h))
    return goal.barrier;
  if (!fixed_ && std::abs(remaining) < 2.0 * std::abs(h))
    return current_.t + 0.5 * remaining;  // two equal steps rather than a tiny last one
  return t_new;
}

// The change in the first step should be a hundredth of the size of the solution, both measured in
// the error scale (Hairer, Noersett, Wanner I, section II.4), and no more than the scale itself
// allows for a method of this order.
double Loop::first_step(double towards) {
  const double length = std::abs(towards - current_.t);
  if (!options_.step_sequence.empty()) return options_.step_sequence.front();
  if (options_.fixed_step > 0.0) return direction_ * options_.fixed_step;
  if (options_.initial_step > 0.0) return direction_ * std::min(options_.initial_step, length);
  const Layout& l = system_->layout;
  Eigen::VectorXd size(l.tangents());
  l.magnitude(current_.x.data(), size.data());
  const double d0 = measure_.norm(size.data());
  const double d1 = measure_.norm(current_.xd.data());
  double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 * length : 0.01 * d0 / d1;
  if (d1 > 0.0) {
    const double p = method_.min_order > 0 ? method_.min_order : method_.order;
    // h x' in units of the tolerance, taken as the size of the first neglected term.
    h = std::min(h, std::pow(100.0, 1.0 / (p + 1.0)) / std::pow(d1, 1.0 / (p + 1.0)) *
                        std::pow(length, p / (p + 1.0)));
  }
  h = std::min({h, 0.1 * length, options_.max_step > 0.0 ? options_.max_step : length});
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return direction_ * std::max(h, 32.0 * epsilon * std::abs(current_.t));
}

}  // namespace daedalus
