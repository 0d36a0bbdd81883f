// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/convergence_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {
namespace {
// A faster contraction than this is no stagnation; rounding errors go up and down.
constexpr double min_level_rate = 0.3;
// Corrections at rest: the next one would hardly be smaller.
constexpr double min_rest_rate = 0.9;
// Rates count as at most this, so that the remainder of a slow iteration is a finite multiple.
constexpr double max_counted_rate = 0.99;
constexpr double tiny = std::numeric_limits<double>::epsilon();

double odds(double rate) { return rate / (1.0 - rate); }
}  // namespace

const char* name_of(ConvergenceReason reason) {
  switch (reason) {
    case ConvergenceReason::remainder_allowed:
      return "remainder allowed";
    case ConvergenceReason::round_off:
      return "round-off";
    case ConvergenceReason::not_finite:
      return "not finite";
    case ConvergenceReason::diverges:
      return "diverges";
    case ConvergenceReason::wrong_matrix:
      return "wrong matrix";
    case ConvergenceReason::too_slow:
      return "too slow";
    case ConvergenceReason::iterations_used_up:
      return "iterations used up";
    case ConvergenceReason::none:
      break;
  }
  return "none";
}

void ConvergenceMonitor::matrix_changed() {
  slowest_ = 0.0;
  remembered_ = settings_.unknown_rate;
}

void ConvergenceMonitor::begin(bool fresh, double mismatch) {
  fresh_ = fresh;
  mismatch_ = mismatch;
  count_ = 0;
  first_ = last_ = ratio_ = rate_ = remaining_ = 0.0;
  reason_ = ConvergenceReason::none;
}

Convergence ConvergenceMonitor::end(Convergence verdict, ConvergenceReason reason) {
  reason_ = reason;
  return verdict;
}

// It is the distance that makes a Jacobian wrong, and time: rates that are not measured again grow.
double ConvergenceMonitor::first_rate(double size) {
  const ConvergenceSettings& s = settings_;
  const double longer =
      s.by_distance && size > measured_at_ ? size / std::max(measured_at_, 1e-100) : 1.0;
  if (longer > 1.0) measured_at_ = size;
  double rate = remembered_;
  if (s.ageing_power != 1.0 && rate < 1.0) {
    const double aged = std::pow(odds(std::max(rate, s.min_remembered_rate)), s.ageing_power);
    rate = aged / (1.0 + aged);
  }
  remembered_ = std::min(1.0, s.ageing * rate * longer);
  return std::max(remembered_, mismatch_);
}

void ConvergenceMonitor::learn(double size) {
  const ConvergenceSettings& s = settings_;
  const double before = ratio_;
  ratio_ = size / last_;
  rate_ = s.mean_rate && count_ > 2 ? std::sqrt(ratio_ * before) : ratio_;
  slowest_ = std::max(s.kept_rate * slowest_, std::min(rate_, max_counted_rate));
  remembered_ =
      fresh_ && !s.remembers_fresh ? s.unknown_rate : std::max(slowest_, s.min_remembered_rate);
  measured_at_ = first_;
}

bool ConvergenceMonitor::rests(const Correction& c) const {
  if (count_ < 2) return false;
  if (c.noise && ratio_ >= min_level_rate) return true;
  if (settings_.floor_needs_fresh && !fresh_) return false;
  return (ratio_ >= min_rest_rate && c.size <= settings_.floor) ||
         (ratio_ >= min_level_rate &&
          c.size <= std::min(settings_.max_stuck, settings_.stuck * first_));
}

bool ConvergenceMonitor::diverges() const {
  if (count_ < 2) return false;
  const bool early = count_ - 1 <= settings_.early;
  return rate_ >= (early ? settings_.max_early_rate : settings_.max_rate);
}

bool ConvergenceMonitor::gives_up() const {
  return count_ > 1 && !fresh_ && rate_ >= settings_.max_old_rate &&
         remaining_ > settings_.harmless;
}

double ConvergenceMonitor::predicted_iterations() const {
  if (remaining_ <= settings_.kappa) return 0.0;
  if (!(judged_ < 1.0)) return std::numeric_limits<double>::infinity();
  return std::log(settings_.kappa / remaining_) / std::log(std::max(judged_, tiny));
}

// The rate that the remainder is judged with.
void ConvergenceMonitor::measure(double size) {
  if (count_ == 1) {
    judged_ = first_rate(size);
    first_ = size;
  } else {
    learn(size);
    judged_ = slowest_;
    if (count_ == 2 && first_ > settings_.beyond)
      judged_ = std::max(judged_, settings_.min_second_rate);
  }
  remaining_ = judged_ < 1.0 ? odds(judged_) * size : size / tiny;
  last_ = std::max(size, tiny);
}

Convergence ConvergenceMonitor::judge(const Correction& c) {
  const ConvergenceSettings& s = settings_;
  ++count_;
  if (!std::isfinite(c.size)) return end(Convergence::failed, ConvergenceReason::not_finite);
  measure(c.size);
  if (c.negligible) return end(Convergence::converged, ConvergenceReason::round_off);
  const bool repeats = c.repeats && (s.doubts_fresh || !fresh_);
  // What repeats itself is not on its way to rest, however small it is.
  if (repeats && rate_ >= min_rest_rate)
    return end(Convergence::failed, ConvergenceReason::wrong_matrix);
  if (!repeats && rests(c)) return end(Convergence::converged, ConvergenceReason::round_off);
  const bool judged = count_ > 1 || (s.trusts_first && !c.held);
  if (judged && !gives_up() && !repeats && remaining_ <= s.kappa)
    return end(Convergence::converged, ConvergenceReason::remainder_allowed);
  if (gives_up() || diverges()) return end(Convergence::failed, ConvergenceReason::diverges);
  if (s.predicts && count_ > 2 && predicted_iterations() > s.max_iterations - 1 - count_)
    return end(Convergence::failed, ConvergenceReason::too_slow);
  return count_ < s.max_iterations ? Convergence::go_on : exhausted(c, repeats);
}

// The last correction may be rounding error all the same.
Convergence ConvergenceMonitor::exhausted(const Correction& c, bool repeats) {
  const bool believed = fresh_ || !settings_.floor_needs_fresh;
  return c.size <= settings_.floor && !repeats && believed
             ? end(Convergence::converged, ConvergenceReason::round_off)
             : end(Convergence::failed, ConvergenceReason::iterations_used_up);
}

}  // namespace daedalus
