#include "integrate/events.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {

EventMonitor::EventMonitor(const std::vector<Event>& events, System& system)
    : events_(events), system_(system), before_(events.size(), 0.0), after_(events.size(), 0.0) {
  const std::size_t room = 8 * events.size() + 8;
  recorded_.reserve(room);
  acting_.reserve(room);
  found_.reserve(room);
  fired_.reserve(room);
  scratch_.x.setZero(system.layout.points());
  model_.setZero(system.variables->size());
  tangent_.setZero(system.layout.tangents());
}

double EventMonitor::value(int i, const State& s) {
  system_.to_model(s, model_.data());
  double result = 0.0;
  const Outcome o = guarded(system_.failure, s.t, [&] {
    result = event(i).when(StateView(*system_.variables, s.t, model_.data()));
    return Eval::ok;
  });
  if (o != Outcome::ok || !std::isfinite(result)) {
    if (o == Outcome::ok) system_.failure = {"event", -1, s.t, {}};
    failed_ = i;
    return 0.0;
  }
  return result;
}

double EventMonitor::on(const Interpolant& p, int i, double t) {
  p.evaluate(system_.layout, t, tangent_, scratch_.x.data());
  scratch_.t = t;
  return value(i, scratch_);
}

bool EventMonitor::begin(const State& s) {
  const PhaseScope phase(system_.counter, Phase::events);
  for (std::size_t i = 0; i < events_.size(); ++i) before_[i] = value(static_cast<int>(i), s);
  for (int i : fired_) before_[static_cast<std::size_t>(i)] = 0.0;
  return failed_ < 0;
}

void EventMonitor::locate(const Interpolant& p, int i, double a, double fa, double b, double fb) {
  // Illinois variant of regula falsi: keeps the bracket, converges superlinearly.
  const double tolerance = 4e-16 * std::max(std::abs(a), std::abs(b)) + 1e-14 * std::abs(p.h);
  int side = 0;
  for (int k = 0; k < 100 && std::abs(b - a) > tolerance; ++k) {
    double m = (a * fb - b * fa) / (fb - fa);
    if (!(m > std::min(a, b) && m < std::max(a, b))) m = 0.5 * (a + b);
    const double fm = on(p, i, m);
    if (fm == 0.0) {
      b = m;
      break;
    }
    if ((fm > 0.0) == (fb > 0.0)) {
      b = m, fb = fm;
      if (side == -1) fa *= 0.5;
      side = -1;
    } else {
      a = m, fa = fm;
      if (side == 1) fb *= 0.5;
      side = 1;
    }
  }
  found_.push_back({i, b});
}

bool EventMonitor::scan(const Interpolant& p, const State& trial) {
  const PhaseScope phase(system_.counter, Phase::events);
  found_.clear();
  recorded_.clear();
  acting_.clear();
  for (std::size_t k = 0; k < events_.size(); ++k) {
    const int i = static_cast<int>(k);
    after_[k] = value(i, trial);
    double ta = p.t0, fa = before_[k];
    for (int s = 1; s <= samples; ++s) {
      const double tb = s == samples ? trial.t : p.t0 + p.h * s / samples;
      const double fb = s == samples ? after_[k] : on(p, i, tb);
      const bool rising = fa < 0.0 && fb >= 0.0, falling = fa > 0.0 && fb <= 0.0;
      const Crossing wanted = events_[k].direction;
      if ((rising && wanted != Crossing::falling) || (falling && wanted != Crossing::rising)) {
        if (fb == 0.0)
          found_.push_back({i, tb});
        else
          locate(p, i, ta, fa, tb, fb);
      }
      if (fb != 0.0) ta = tb, fa = fb;
    }
  }
  const double sign = p.h < 0.0 ? -1.0 : 1.0;
  std::stable_sort(found_.begin(), found_.end(),
                   [sign](const Located& a, const Located& b) { return sign * a.t < sign * b.t; });
  // Events closer together than this happen at once.
  const double together = 1e-12 * std::abs(p.h) + 4e-16 * std::abs(p.t0);
  bool acts = false;
  for (const Located& f : found_) {
    if (acts && std::abs(f.t - landing_time_) > together) break;
    if (event(f.event).action == EventAction::record) {
      recorded_.push_back(f);
    } else {
      if (!acts) landing_time_ = f.t;
      acts = true;
      acting_.push_back(f);
    }
  }
  return failed_ < 0;
}

bool EventMonitor::advance(const State& at, bool landed) {
  fired_.clear();
  if (landed) {
    for (const Located& a : acting_) fired_.push_back(a.event);
    return begin(at);
  }
  // A crossing exactly at the end of the step has been counted; zero there keeps it from counting
  // again.
  before_ = after_;
  return true;
}

}  // namespace daedalus
