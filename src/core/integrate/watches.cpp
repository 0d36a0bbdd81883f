// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/watches.hpp"

#include <cmath>

namespace daedalus {

bool StabilityWatch::add(double value, double t) {
  // As DOPRI5 counts (Hairer, Norsett, Wanner, section II.10): 15 at the boundary, 6 away from it.
  constexpr int many = 15, enough_away = 6;
  if (value <= 0.0 || memory_.certain) return false;
  if (value <= 1.0) {
    if (++memory_.away == enough_away) memory_ = {};
    return false;
  }
  if (memory_.at_boundary++ == 0) memory_.since = t;
  memory_.away = 0;
  memory_.certain = memory_.at_boundary >= many;
  return memory_.certain;
}

void RejectionWatch::add(const State& from, double h) {
  // So many within the length of the first rejected step, in a run that goes well otherwise: the
  // place is kept for a second look.
  constexpr int suspicious = 6;
  if (here_.count == 0 || std::abs(from.t - here_.t) > std::abs(here_.h)) here_ = {from.t, h, 0};
  if (++here_.count < suspicious || here_.count <= worst_.count) return;
  worst_.count = here_.count;
  worst_.h = here_.h;
  worst_.at = from;
}

void RejectionWatch::start(const State& s) {
  worst_.at = s;
  worst_.count = 0;
}

void RejectionWatch::archive(Archive& a) {
  a(here_, worst_.count, worst_.h, worst_.at.t, worst_.at.x, worst_.at.xd);
}

bool StayWatch::add(double t, double h, double value) {
  // So often in a row an error may stay, within this ratio, while the step falls.
  constexpr int max_stays = 6;
  constexpr double same = 1.1, shorter = 0.8;
  const bool again = t == last_.t && std::abs(h) < shorter * std::abs(last_.h) &&
                     value < same * last_.value && same * value > last_.value;
  if (place_.h == 0.0 || std::abs(t - place_.t) > std::abs(place_.h)) place_ = {t, h, value};
  last_ = {t, h, value};
  count_ = again ? count_ + 1 : 0;
  return count_ >= max_stays;
}

bool StayWatch::jumps() const {
  // A step this much shorter than the first one rejected in this place.
  constexpr double much_shorter = 1e-5;
  const double shrunk = std::abs(last_.h / place_.h);
  const double continuous = place_.value * shrunk;
  return shrunk < much_shorter && continuous < 1.0 &&
         last_.value > place_.value * std::sqrt(shrunk);
}

}  // namespace daedalus
