// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernel/bracketing.hpp"

namespace daedalus {
namespace {
// Share of a step over which the slope of an event function is taken.
constexpr double tangent = 1e-3;
// A handler that leaves less than this of the slope has stopped the motion towards the event.
constexpr double stopped = 1e-9;
// A handler moves a function where it changes it by more than this share of what the step did, and
// by so many times what the step left of it at its event: start values and round-off change less.
constexpr double notable_share = 0.01, notable_rest = 100.0;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
// An event function below it is at zero, whatever its units are.
constexpr double at_rest = 1e-200;
}  // namespace

EventMonitor::EventMonitor(const std::vector<Event>& events, System& system)
    : events_(events),
      system_(system),
      before_(events.size(), 0.0),
      after_(events.size(), 0.0),
      states_(events.size()),
      landed_(events.size(), {unknown, unknown}) {
  const std::size_t room = 8 * events.size() + 8;
  recorded_.reserve(room);
  acting_.reserve(room);
  found_.reserve(room);
  fired_.reserve(room);
  scratch_.x.setZero(system.layout.points());
  model_.setZero(system.variables->size());
  tangent_.setZero(system.layout.tangents());
  moved_ = scratch_;
}

double EventMonitor::value(int i, const State& s) {
  system_.to_model(s, model_.data());
  double result = 0.0;
  const Outcome o = guarded(system_.failure, s.t, [&] {
    result = event(i).when(StateView(*system_.variables, s.t, model_.data(), *system_.modes));
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
  std::erase_if(fired_, [this](const Located& f) { return was_moved(f.event); });
  for (const Located& f : fired_) before_[static_cast<std::size_t>(f.event)] = 0.0;
  return failed_ < 0;
}

// A clock that was set to its next time, a level that a new mode shifts: the function is where it
// is and may cross soon, within the first samples of a long step.
bool EventMonitor::was_moved(int i) const {
  const auto k = static_cast<std::size_t>(i);
  return std::abs(before_[k] - landed_[k].f) > landed_[k].notable;
}

void EventMonitor::wake() {
  for (PerEvent& e : states_) e.asleep = false;
}

void EventMonitor::resume(const EventMonitor& before) {
  states_ = before.states_;
  fired_ = before.fired_;
}

// Along the tangent, not along the solution, which may turn within dt.
double EventMonitor::slope(int i, const State& s, double dt) {
  if (s.xd.size() != tangent_.size()) return 0.0;
  tangent_ = dt * s.xd;
  system_.layout.plus(s.x.data(), tangent_.data(), moved_.x.data());
  moved_.t = s.t + dt;
  // Beside the solution the function need not be defined.
  const int failed = failed_;
  const Failure failure = system_.failure;
  const double change = value(i, moved_) - value(i, s);
  if (failed_ == failed) return change / std::abs(dt);
  failed_ = failed;
  system_.failure = failure;
  return 0.0;
}

void EventMonitor::note_slopes(const Interpolant& p, double t) {
  const PhaseScope phase(system_.counter, Phase::events);
  const double before = t - tangent * p.h;
  for (const Located& a : acting_) {
    const double f = on(p, a.event, t), change = f - on(p, a.event, before);
    state(a.event).slope = change / (tangent * std::abs(p.h));
    const double by_step = notable_share * std::abs(change) / tangent;
    landed_[static_cast<std::size_t>(a.event)] = {
        f, by_step > 0.0 ? std::max(by_step, notable_rest * std::abs(f)) : unknown};
  }
}

// What lies beside the state is a number in one call and none in the other.
void EventMonitor::refuse_reads_outside(const State& s) {
  // Reads that miss the end of a state miss it by a few variables.
  constexpr int zone = 16;
  const int n = system_.variables->size();
  system_.to_model(s, model_.data());
  Eigen::VectorXd guarded_state(n + 2 * zone);
  for (int i = 0; i < static_cast<int>(events_.size()); ++i) {
    std::array<double, 2> result{};
    for (const std::size_t k : {0u, 1u}) {
      guarded_state.setConstant(k == 0 ? 1.0 : std::numeric_limits<double>::quiet_NaN());
      guarded_state.segment(zone, n) = model_;
      try {
        result[k] = event(i).when(
            StateView(*system_.variables, s.t, guarded_state.data() + zone, *system_.modes));
      } catch (...) {
        return;  // the search reports it
      }
    }
    if (!std::isnan(result[0]) && std::isnan(result[1]))
      throw InvalidArgument(fmt::format(
          "event '{}', when: reads outside of the state, which has {} entries; indices go from 0 "
          "to {}",
          event(i).name, n, n - 1));
  }
}

EventMonitor::Sample EventMonitor::leave(const Interpolant& p, int i, const State& from) {
  const auto fired =
      std::find_if(fired_.begin(), fired_.end(), [i](const Located& f) { return f.event == i; });
  const Sample nothing{p.t0, before_[static_cast<std::size_t>(i)]};
  if (fired == fired_.end()) return nothing;
  const double beyond = fired->direction;
  double theta = 1.0 / samples;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double resolution = 64.0 * epsilon * std::max(std::abs(p.t0), std::abs(p.h));
  // A remainder of the interval that times cannot tell apart shows no slopes.
  if (std::abs(p.h) <= samples * resolution) return nothing;
  if (beyond * on(p, i, p.t0 + theta * p.h) <= at_rest) return nothing;
  // The handler took the function itself beyond zero (a switch that opened): it need not move on.
  const double then = beyond * state(i).slope;
  if (beyond * value(i, from) > 16.0 * then * resolution && then > 0.0) return nothing;
  // It goes on beyond zero as it came, faster than a handler that stops it would leave it.
  // Along the tangent, where the solution may turn soon, and on the interpolant, where rates that
  // start values leave are not accurate enough.
  const double dt = tangent * p.h;
  const double along = (on(p, i, p.t0 + dt) - on(p, i, p.t0)) / std::abs(dt);
  const double now = std::min(beyond * slope(i, from, dt), beyond * along);
  if (now > stopped * then || (then <= 0.0 && now >= 0.0)) return nothing;
  // It was turned back: it crosses again, perhaps soon.
  for (; theta * std::abs(p.h) > resolution; theta /= samples) {
    const double t = p.t0 + theta * p.h, f = on(p, i, t);
    if (beyond * f < 0.0) return {t, f};
  }
  stuck_ = i;
  return nothing;
}

void EventMonitor::cross(const Interpolant& p, int i, const Sample& a, const Sample& b,
                         std::optional<double> root) {
  const Crossing wanted = event(i).direction;
  const bool rising = a.f < 0.0 && b.f >= 0.0, falling = a.f > 0.0 && b.f <= 0.0;
  if (!(rising && wanted != Crossing::falling) && !(falling && wanted != Crossing::rising)) return;
  const auto function = [&](double t) { return on(p, i, t); };
  const double tolerance = 4e-16 * std::max(std::abs(a.t), std::abs(b.t)) + 1e-14 * std::abs(p.h);
  if (!root) root = bracketed_root(std::ref(function), {a.t, a.f, b.t, b.f}, tolerance);
  found_.push_back({i, *root, rising ? 1 : -1});
}

// |f| is smaller at m than at its neighbours: it may reach the other side between them and come
// back.
void EventMonitor::dip(const Interpolant& p, int i, const Sample& a, const Sample& m,
                       const Sample& b) {
  const double side = m.f > 0.0 ? 1.0 : -1.0;
  if (!(side * a.f >= side * m.f && side * b.f >= side * m.f)) return;
  if (a.f == m.f && b.f == m.f) return;  // it is constant
  const auto function = [&](double t) { return side * on(p, i, t); };
  const double t = lowest_point(std::ref(function), a.t, b.t);
  const Sample low{t, on(p, i, t)};
  if (!(side * low.f < 0.0)) return;
  cross(p, i, a, low, {});
  cross(p, i, low, b, {});
}

void EventMonitor::look_along(const Interpolant& p, int i, const State& from, const State& trial) {
  // Beside the ends, where a dip between the last samples would not be seen.
  constexpr double beside = 0.01 / samples;
  const auto k = static_cast<std::size_t>(i);
  after_[k] = value(i, trial);
  const Sample first = leave(p, i, from), end{trial.t, after_[k]};
  Sample before = first, last = first;
  double zero = 0.0;  // where the function was zero since then
  bool at_zero = false;
  const auto look = [&](double t, double f) {
    if (f == 0.0 && t != end.t) {  // the next sample tells whether it only touches
      if (!at_zero) zero = t;
      at_zero = true;
      return;
    }
    const Sample now{t, f};
    if (last.f * f > 0.0 && before.f * last.f > 0.0 && before.t != last.t && !at_zero)
      dip(p, i, before, last, now);
    else
      cross(p, i, last, now, at_zero ? std::optional(zero) : std::nullopt);
    before = at_zero ? now : last;
    last = now;
    at_zero = false;
  };
  for (int s = 0; s < samples; ++s) {
    const double share = static_cast<double>(s) / samples;
    if (s > 0) look(p.t0 + share * p.h, on(p, i, p.t0 + share * p.h));
    // A step that ends at an event may end round-off before it.
    if (s == 0 ? first.f == 0.0 : s < samples - 1) continue;
    const double extra = s == 0 ? beside : 1.0 - beside, t = p.t0 + extra * p.h;
    if (std::abs(t - p.t0) > std::abs(first.t - p.t0)) look(t, on(p, i, t));
  }
  look(end.t, end.f);
}

bool EventMonitor::scan(const Interpolant& p, const State& from, const State& trial) {
  const PhaseScope phase(system_.counter, Phase::events);
  found_.clear();
  recorded_.clear();
  acting_.clear();
  stuck_ = -1;
  for (int i = 0; i < static_cast<int>(events_.size()); ++i)
    if (!state(i).asleep) look_along(p, i, from, trial);
  sort_found(p);
  return failed_ < 0;
}

void EventMonitor::sort_found(const Interpolant& p) {
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
}

bool EventMonitor::advance(const State& at, bool landed) {
  fired_.clear();
  if (landed) {
    std::fill(landed_.begin(), landed_.end(), Landed{unknown, unknown});
    fired_.insert(fired_.end(), acting_.begin(), acting_.end());
    return begin(at);
  }
  // A crossing exactly at the end of the step has been counted; zero there keeps it from counting
  // again.
  before_ = after_;
  return true;
}

}  // namespace daedalus
