// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "integrate/guarded_numbers.hpp"

namespace daedalus {
namespace {
// Share of a step over which the slope of an event function is taken.
constexpr double tangent = 1e-3;
// The same over a share of that: flat functions (a cube) have slopes that fall with the span.
constexpr double nearer_share = 0.1;
// Over so many spans more the power of a short one, which may be round-off, says nothing.
constexpr double too_far = 1e3;
// Powers above the ninth are noise.
constexpr double max_flatness = 8.0;
// A handler that leaves less than this of the slope has stopped the motion towards the event.
constexpr double stopped = 1e-9;
// A handler moves a function where it changes it by more than this share of what the step did, and
// by so many times what the step left of it at its event: start values and round-off change less.
constexpr double notable_share = 0.01, notable_rest = 100.0;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
// Handlers of several events that move a function back by more than this share of what the step
// left there, and leave it beyond zero, have not stopped it at zero: one shifts what another sees.
constexpr double moved_share = 0.1;
// A function that makes most of its last change in a tenth of the span, and is still so large where
// it was located, has no zero: it jumps across. Flights near what times can tell apart show
// nothing.
constexpr double most_nearer = 0.5, jump_share = 0.1, well_resolved = 1e4;
// An event function below it is at zero, whatever its units are.
constexpr double at_rest = 1e-200;

// Events closer together than this happen at once.
double simultaneous(const Interpolant& p) { return 1e-12 * std::abs(p.h) + 4e-16 * std::abs(p.t0); }

// Times on it that are closer cannot be told apart.
double resolution(const Interpolant& p) {
  return 64.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(p.t0), std::abs(p.h));
}

void sort_by_time(std::vector<Located>& events, double h) {
  const double sign = h < 0.0 ? -1.0 : 1.0;
  std::stable_sort(events.begin(), events.end(),
                   [sign](const Located& a, const Located& b) { return sign * a.t < sign * b.t; });
}
}  // namespace

EventMonitor::EventMonitor(const std::vector<Event>& events, System& system)
    : events_(events),
      system_(system),
      before_(events.size(), 0.0),
      after_(events.size(), 0.0),
      states_(events.size()),
      landed_(events.size(), {unknown, unknown, unknown, unknown, 0.0}) {
  if (events.empty()) return;
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
  return value_in_model(i, s.t);
}

double EventMonitor::value_in_model(int i, double t) {
  double result = 0.0;
  const Outcome o = guarded(system_.failure, t, [&] {
    result = event(i).when(
        StateView(*system_.variables, t, model_.data(), *system_.modes, system_.parameters.get()));
    return Eval::ok;
  });
  if (o != Outcome::ok || !std::isfinite(result)) {
    if (o == Outcome::ok) system_.failure = {"event", -1, t, {}};
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

void EventMonitor::note_slopes(const Interpolant& p, const State& at) {
  const PhaseScope phase(system_.counter, Phase::events);
  const double t = at.t;
  const double before = t - tangent * p.h;
  for (const Located& a : acting_) {
    const double f = on(p, a.event, t), change = f - on(p, a.event, before);
    const double nearer = f - on(p, a.event, t - nearer_share * tangent * p.h);
    PerEvent& e = state(a.event);
    e.untouched = false;
    e.span = tangent * std::abs(p.h);
    e.slope = change / e.span;
    const double by_step = notable_share * std::abs(change) / tangent;
    const double noise = this->noise(a.event, at);
    const double power = std::log(nearer / change) / std::log(nearer_share);
    e.flatness = power > 1.0 ? std::min(power - 1.0, max_flatness) : 0.0;
    landed_[static_cast<std::size_t>(a.event)] = {
        f, by_step > 0.0 ? std::max(by_step, notable_rest * std::abs(f)) : unknown,
        value(a.event, at), unknown, noise};
    e.rough = nearer_share * e.span <= resolution(p) || std::abs(nearer) <= noise;
    e.jumps = e.span > well_resolved * resolution(p) && std::abs(change) > noise &&
              std::abs(nearer) > most_nearer * std::abs(change) &&
              std::abs(f) > jump_share * std::abs(change);
  }
}

void EventMonitor::note_unchanged_state(const Eigen::VectorXd& model, double t) {
  const PhaseScope phase(system_.counter, Phase::events);
  model_ = model;
  for (const Located& a : acting_) {
    Landed& l = landed_[static_cast<std::size_t>(a.event)];
    const bool moved = std::abs(value_in_model(a.event, t) - l.in_state) > l.notable;
    if (moved) continue;
    l.notable = std::numeric_limits<double>::infinity();
    state(a.event).untouched = true;
  }
}

// What lies beside the state, the modes and the parameters is a number in one call and none in the
// other.
void EventMonitor::refuse_reads_outside(const State& s) {
  if (events_.empty()) return;
  const int n = system_.variables->size();
  system_.to_model(s, model_.data());
  for (int i = 0; i < static_cast<int>(events_.size()); ++i) {
    double harmless = 0.0;
    for (const int input : {-1, 0, 1, 2}) {
      // The one looked at is beside NaN.
      const auto beside = [input](int k) {
        return k == input ? std::numeric_limits<double>::quiet_NaN() : 1.0;
      };
      GuardedNumbers state(model_.data(), n, beside(0));
      const std::vector<double> modes = marked_behind(system_.modes.get(), beside(1));
      const std::vector<double> parameters = marked_behind(system_.parameters.get(), beside(2));
      double result = 0.0;
      try {
        result =
            event(i).when(StateView(*system_.variables, s.t, state.data(), modes, &parameters));
      } catch (...) {
        return;  // the search reports it
      }
      if (input < 0) harmless = result;
      if (input < 0 || std::isnan(harmless) || !std::isnan(result)) continue;
      constexpr std::array names{"state", "modes", "parameters"};
      const std::array sizes{static_cast<std::size_t>(n), modes.size(), parameters.size()};
      const auto k = static_cast<std::size_t>(input);
      throw InvalidArgument(
          fmt::format("event '{}', when: reads outside of the {}, which {} {} entries{}",
                      event(i).name, names[k], k == 0 ? "has" : "have", sizes[k],
                      sizes[k] > 0 ? fmt::format("; indices go from 0 to {}", sizes[k] - 1) : ""));
    }
  }
}

CrossingSample EventMonitor::leave(const Interpolant& p, int i, const State& from) {
  const auto fired =
      std::find_if(fired_.begin(), fired_.end(), [i](const Located& f) { return f.event == i; });
  const CrossingSample nothing{p.t0, before_[static_cast<std::size_t>(i)]};
  if (fired == fired_.end()) return nothing;
  const double beyond = fired->direction;
  PerEvent& e = state(i);
  e.pending = e.returning = 0;
  double theta = 1.0 / crossing_samples;
  // A remainder of the interval that times cannot tell apart shows no slopes.
  const double least_time = resolution(p);
  if (std::abs(p.h) <= crossing_samples * least_time) return nothing;
  const double dt = tangent * p.h, at_start = value(i, from);
  const double along = (on(p, i, p.t0 + dt) - on(p, i, p.t0)) / std::abs(dt);
  const double then = beyond * e.slope;
  // Less than this over dt is the work of a handler that stops it.
  const double longer = std::abs(dt) / e.span;
  const bool extrapolates = e.rough && then > 0.0 && longer >= too_far;
  const double least = stopped * then * (extrapolates ? 1.0 : std::pow(longer, e.flatness));
  // Along the tangent, where the solution may turn soon, and on the interpolant, where rates that
  // start values leave are not accurate enough.
  const double now = std::min(beyond * slope(i, from, dt), beyond * along);
  // New start values put it back by what the step left as an error, and it comes as before.
  const double arrives = e.untouched ? beyond * along : now;
  if (beyond * at_start < 0.0 && arrives > std::max(0.0, least)) {
    e.pending = fired->direction;
    before_[static_cast<std::size_t>(i)] = at_start;
    return {p.t0, at_start};
  }
  if (beyond * on(p, i, p.t0 + theta * p.h) <= at_rest) return nothing;
  // The handler took the function itself beyond zero (a switch that opened): it need not move on.
  // What the step left there is its error, and may be much beside a slow motion.
  const Landed& landed = landed_[static_cast<std::size_t>(i)];
  const double least_moved = std::max(16.0 * then * least_time, 2.0 * landed.noise);
  const double by_handler = at_start - landed.in_state;
  const bool back =
      fired_.size() > 1 && beyond * by_handler < -moved_share * std::abs(landed.in_state);
  if (e.jumps && beyond * at_start > least_moved) return nothing;
  if (beyond * at_start > least_moved && (back || !(beyond * by_handler <= least_moved)) &&
      then > 0.0)
    return nothing;
  // It goes on beyond zero as it came, faster than a handler that stops it would leave it.
  if (now > least || (then <= 0.0 && now >= 0.0)) return nothing;
  // It was turned back: it crosses again, perhaps soon.
  for (; theta * std::abs(p.h) > least_time; theta /= crossing_samples) {
    const double t = p.t0 + theta * p.h, f = on(p, i, t);
    if (beyond * f < 0.0) return {t, f};
  }
  return come_back(p, i, beyond);
}

void EventMonitor::look_along(const Interpolant& p, int i, const State& from, const State& trial) {
  const auto k = static_cast<std::size_t>(i);
  after_[k] = value(i, trial);
  const Crossing wanted = event(i).direction;
  const auto function = [&](double t) { return on(p, i, t); };
  watch_return(i);
  const CrossingSample first = leave(p, i, from);
  PerEvent& e = state(i);
  e.counted = unknown;
  const auto found = [&](double t, int direction) {
    if (e.pending == direction && std::isnan(e.counted))
      e.counted = t;
    else
      found_.push_back({i, t, direction});
  };
  CrossingSearch search(function, found, p.t0, p.h,
                        wanted == Crossing::rising    ? 1
                        : wanted == Crossing::falling ? -1
                                                      : 0);
  const std::size_t before = found_.size();
  search.look(first, {trial.t, after_[k]});
  // It has not come yet: what crosses and comes back is an error of the interpolant.
  if (e.pending * after_[k] < 0.0) {
    found_.resize(before);
    e.counted = unknown;
  }
}

bool EventMonitor::scan(const Interpolant& p, const State& from, const State& trial) {
  const PhaseScope phase(system_.counter, Phase::events);
  found_.clear();
  recorded_.clear();
  acting_.clear();
  stuck_ = -1;
  begin_ = p.t0;
  for (int i = 0; i < static_cast<int>(events_.size()); ++i)
    if (!state(i).asleep) look_along(p, i, from, trial);
  sort_found(p);
  return failed_ < 0;
}

std::vector<int> EventMonitor::leaving_zero(const Interpolant& p) {
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(events_.size()); ++i) {
    const Event& e = event(i);
    if (e.direction == Crossing::any || e.action == EventAction::record ||
        before_[static_cast<std::size_t>(i)] != 0.0)
      continue;
    const double side = e.direction == Crossing::rising ? 1.0 : -1.0;
    if (side * on(p, i, p.t0 + p.h / crossing_samples) > 0.0) found.push_back(i);
  }
  return found;
}

bool EventMonitor::lands_at(int i) const {
  const auto same = [i](const Located& f) { return f.event == i; };
  return std::any_of(acting_.begin(), acting_.end(), same) ||
         std::any_of(recorded_.begin(), recorded_.end(), same);
}

bool EventMonitor::land(const Interpolant& p, const State& from, const State& trial) {
  const PhaseScope phase(system_.counter, Phase::events);
  const double together = simultaneous(p);
  // At the very landing time a recorded event happens whatever this step makes of it: a handler
  // may turn it back.
  std::erase_if(recorded_,
                [&](const Located& f) { return std::abs(f.t - landing_time_) > together; });
  found_.clear();
  stuck_ = -1;
  for (int i = 0; i < static_cast<int>(events_.size()); ++i)
    if (!state(i).asleep && !lands_at(i)) look_along(p, i, from, trial);
  for (const Located& f : found_) {
    const bool records = event(f.event).action == EventAction::record;
    (records ? recorded_ : acting_)
        .push_back({f.event, records ? f.t : landing_time_, f.direction});
  }
  sort_by_time(recorded_, p.h);
  return failed_ < 0;
}

void EventMonitor::sort_found(const Interpolant& p) {
  sort_by_time(found_, p.h);
  const double together = simultaneous(p);
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
  for (std::size_t i = 0; i < states_.size(); ++i) {
    PerEvent& e = states_[i];
    const bool turned = e.pending * after_[i] < e.pending * before_[i];
    // A handler may have moved it; a step that was cut short may have ended before it.
    if (landed || turned || std::abs(at.t - begin_) >= std::abs(e.counted - begin_)) e.pending = 0;
    if (e.returning * after_[i] < 0.0) e.returning = e.pending = 0;
  }
  if (landed) {
    std::fill(landed_.begin(), landed_.end(), Landed{unknown, unknown, unknown, unknown, 0.0});
    fired_.insert(fired_.end(), acting_.begin(), acting_.end());
    return begin(at);
  }
  // A crossing exactly at the end of the step has been counted; zero there keeps it from counting
  // again.
  before_ = after_;
  return true;
}

}  // namespace daedalus
