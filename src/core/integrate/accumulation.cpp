// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/accumulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {
namespace {

// So many intervals in a row that shrink alike are a series; above this ratio there is no limit
// within reach, and ratios of one series differ by no more than this.
constexpr int min_shrinking = 5;
// Enough where the next interval is round-off of the time.
constexpr int min_shrinking_fast = 2;
constexpr double max_ratio = 0.9999, same_ratio = 0.1;
// So many events without progress in time.
constexpr int max_still = 8;
// Of the time of the series that may be left to the limit, at loose tolerances too.
constexpr double max_share = 1e-6;
constexpr double round_off = 1000.0 * std::numeric_limits<double>::epsilon();
// No progress: methods that start with order 1 lose a body in flights of some more round-off.
constexpr double standstill = 10.0 * round_off;

}  // namespace

bool AccumulationWatch::add(int i, double t) {
  Series& s = at(i);
  if (s.fired++ == 0) {
    s.first = s.last = t;
    return false;
  }
  const double interval = std::abs(t - s.last), direction = t < s.last ? -1.0 : 1.0;
  const double ratio = s.interval > 0.0 ? interval / s.interval : 1.0;
  const bool shrinks = ratio < max_ratio;
  const bool alike = s.shrinking == 0 || std::abs(ratio - s.ratio) <= same_ratio;
  if (!shrinks || !alike) s.first = s.last;
  s.shrinking = !shrinks ? 0 : alike ? s.shrinking + 1 : 1;
  s.still = interval <= standstill * std::abs(t) ? s.still + 1 : 0;
  s.last = t;
  s.interval = interval;
  s.ratio = ratio;
  if (s.still >= max_still) {
    limit_ = t;
    ratio_ = 0.0;
    return true;
  }
  if (s.shrinking < min_shrinking_fast) return false;
  const double left = interval * ratio / (1.0 - ratio);
  limit_ = t + direction * left;
  ratio_ = ratio;
  if (left <= round_off * std::abs(t)) return true;
  return s.shrinking >= min_shrinking &&
         left <= std::min(max_share, rtol_) * std::abs(limit_ - s.first);
}

double AccumulationWatch::next_interval(int i) const {
  const Series& s = of_[static_cast<std::size_t>(i)];
  return s.shrinking >= min_shrinking ? s.interval * s.ratio : 0.0;
}

bool AccumulationWatch::nearly_over(int i) {
  // Of the time of the series: flights are then a millionth as high as the first.
  constexpr double near = 1e-3;
  const Series& s = of_[static_cast<std::size_t>(i)];
  if (s.shrinking < min_shrinking) return false;
  const double left = s.interval * s.ratio / (1.0 - s.ratio);
  if (left > near * std::abs(s.last - s.first)) return false;
  limit_ = s.last + std::copysign(left, s.last - s.first);
  ratio_ = s.ratio;
  return true;
}

}  // namespace daedalus
