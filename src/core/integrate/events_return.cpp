// SPDX-License-Identifier: BSD-3-Clause
// Functions that the error of a step left behind the zero of their event, where a handler has
// turned them back.
#include "integrate/events.hpp"

namespace daedalus {

// Steps of loose tolerances end behind an event by their error, and what a handler turned back
// there takes a while to come back: less than this step, or more, but it must not go on beyond.
CrossingSample EventMonitor::come_back(const Interpolant& p, int i, double beyond) {
  const auto k = static_cast<std::size_t>(i);
  for (int n = 2; n <= crossing_samples && !state(i).near_limit; ++n) {
    const double t = p.t0 + n * p.h / crossing_samples, f = on(p, i, t);
    if (beyond * f < 0.0) return {t, f};
  }
  const bool comes = beyond * after_[k] < beyond * on(p, i, p.t0);
  if (comes && !state(i).near_limit)
    state(i).returning = beyond > 0.0 ? 1 : -1;
  else
    stuck_ = i;
  return {p.t0, before_[k]};
}

// In the steps that follow: the crossing back is none that counts.
void EventMonitor::watch_return(int i) {
  PerEvent& e = state(i);
  if (e.returning == 0) return;
  const auto k = static_cast<std::size_t>(i);
  const bool back = e.returning * after_[k] < 0.0;
  e.pending = back ? -e.returning : 0;
  if (!back && e.returning * after_[k] > e.returning * before_[k]) stuck_ = i;
}

}  // namespace daedalus
