// SPDX-License-Identifier: BSD-3-Clause
#include "methods/bdf/engine_stability.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::bdf {
namespace {
// Orders up to this one are A-stable.
constexpr int stable_order = 2;
// Steps of about one length: others turn corrections by themselves.
constexpr double max_change = 0.25;
// Weight of a new cosine in the mean, and the mean (53 degrees) from which on order 2 is tried: the
// largest with which transmission-line takes it, while ten problems of the catalogue take 1.6 %
// more steps in all.
constexpr double new_share = 0.1, max_mean = 0.6;
constexpr int min_seen = 15;
// Accepted steps: of a trial, and of the first hold and rest. Growth that a trial has to show.
constexpr int trial_steps = 60, first_hold = 300, first_rest = 300, max_steps = 100000;
constexpr double min_growth = 1.2;
// A trial whose steps are below this share is given up early, but not before order 2 has damped the
// oscillations, whose first errors there are larger.
constexpr double max_loss = 0.4;
constexpr int damping_steps = 15;
}  // namespace

void StabilityWatch::start(bool prescribed) {
  active_ = able_ && !prescribed;
  phase_ = watching;
  left_ = seen_ = 0;
  hold_ = first_hold;
  rest_ = first_rest;
  turning_ = 1.0;
  before_ = 0.0;
  order_ = last_order_ = 0;
}

int StabilityWatch::limit(int highest) const {
  return phase_ == trying || phase_ == holding ? std::min(highest, stable_order) : highest;
}

void StabilityWatch::observe(int order, double h, const Eigen::VectorXd& correction,
                             const Eigen::VectorXd& weight) {
  if (!active_) return;
  order_ = order;
  h_ = std::abs(h);
  if (order > stable_order && phase_ == watching) now_ = correction.cwiseQuotient(weight);
}

void StabilityWatch::enter(Phase phase, int steps) {
  phase_ = phase;
  left_ = steps;
  seen_ = 0;
  turning_ = 1.0;
  last_order_ = 0;
}

void StabilityWatch::watch() {
  const bool comparable =
      order_ > stable_order && order_ == last_order_ && std::abs(h_ / last_h_ - 1.0) <= max_change;
  if (comparable) {
    const double product = now_.dot(last_), sizes = now_.squaredNorm() * last_.squaredNorm();
    const double cosine = sizes > 0.0 ? product / std::sqrt(sizes) : 1.0;
    turning_ += new_share * (cosine - turning_);
    ++seen_;
  } else {
    seen_ = 0;
    turning_ = 1.0;
  }
  last_order_ = order_;
  last_h_ = h_;
  last_.swap(now_);
  if (seen_ < min_seen || !(turning_ < max_mean)) return;
  before_ = h_;
  enter(trying, trial_steps);
}

void StabilityWatch::accepted() {
  if (!active_) return;
  if (phase_ == watching) return watch();
  const bool lost =
      phase_ == trying && left_ <= trial_steps - damping_steps && h_ < max_loss * before_;
  if (--left_ > 0 && !lost) return;
  if (phase_ == trying) {
    if (h_ >= min_growth * before_) {
      enter(holding, hold_);
      hold_ = std::min(2 * hold_, max_steps);
    } else {
      enter(resting, rest_);
      rest_ = std::min(2 * rest_, max_steps);
    }
    return;
  }
  enter(watching, 0);
}

void StabilityWatch::archive(Archive& a) {
  if (!able_) return;
  a(active_);
  a.within(phase_, watching, resting);
  a(left_, hold_, rest_, seen_, turning_, before_, last_order_, last_h_, last_);
}

}  // namespace daedalus::bdf
