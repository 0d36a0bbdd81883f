// SPDX-License-Identifier: BSD-3-Clause
#include "model/event_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kernel/at.hpp"
#include "model/mode_search.hpp"

namespace daedalus {
namespace {

using graph::InputKind;

// Passes of one event. Chains of discrete equations need one each; more than this is a circle.
constexpr int max_passes = 100;
// Events are located to so many parts of the time: a crossing function that changes by less within
// it is at zero.
constexpr double time_resolution = 1e-12;
// Crossing functions that agree to this part are one, perhaps with another sign.
constexpr double same_crossing = 1e-6;
// What is off by more than this part of its variables was not located there: gains are in it.
constexpr double near_zero = 1.0;
// Ticks of clocks closer than this part of a period are the same: first + n period is rounded.
constexpr double same_tick = 1e-9;

}  // namespace

EventRun::EventRun(const Model::Data& data, const std::vector<double>& parameters, double t,
                   double* y, double* modes)
    : d_(data), e_(data.events), p_(parameters), t_(t), y_(y), modes_(modes) {
  yp_.setZero(static_cast<int>(d_.names.size()));
  crossing_.resize(e_.relations.size());
  at_event_.assign(e_.relations.size(), 0);
  values_.resize(at(e_.values->count()));
}

// Where the vectors of the slot begin among the model variables.
double* EventRun::value_of(InputKind kind, int number) {
  const MechanicsParts& m = d_.mechanics;
  switch (kind) {
    case InputKind::mode:
      return modes_ + number;
    case InputKind::velocity:
      return y_ + m.q + number;
    case InputKind::multiplier:
      return y_ + 2 * m.q + m.c + number;
    case InputKind::auxiliary:
      return y_ + 2 * m.q + number;
    case InputKind::algebraic:
      return y_ + (d_.names.size() - at(d_.algebraic_count)) + number;
    default:
      return y_ + number;
  }
}

Arguments<double> EventRun::arguments() const {
  return d_.arguments(t_, y_, yp_.data(), p_, modes_);
}

double EventRun::current(const EventProgram::Previous& p) const {
  return p.kind == InputKind::time ? t_ : *const_cast<EventRun*>(this)->value_of(p.kind, p.number);
}

// pre() of variables is their value before the event, in all passes of it.
void EventRun::remember_previous(bool of_variables) {
  for (int k = 0; k < e_.previous; ++k)
    if (const auto& p = e_.previous_of[at(k)]; of_variables || p.kind == InputKind::mode)
      modes_[e_.modes + k] = current(p);
}

void EventRun::remember_conditions() {
  e_.values->run(arguments(), values_.data());
  for (std::size_t w = 0; w < e_.whens.size(); ++w)
    modes_[e_.first_condition() + static_cast<int>(w)] = values_[at(e_.whens[w].row)];
}

void EventRun::start() {
  std::vector<double> starts(e_.discretes.size());
  e_.discrete_starts->run(arguments(), starts.data());
  for (std::size_t k = 0; k < starts.size(); ++k) modes_[e_.discretes[k].mode] = starts[k];
  if (!e_.empty()) modes_[e_.last_time()] = t_;
  remember_previous(true);
  // Guesses need not meet requirements, which are off here.
  if (e_.initial_mode >= 0) {
    modes_[e_.initial_mode] = 1.0;
    solve();
    modes_[e_.initial_mode] = 0.0;
    follow_end();
  }
  for (int pass = 0; pass < max_passes; ++pass) {
    solve();
    evaluate_crossings();
    bool same = true;
    changed_.clear();
    for (std::size_t i = 0; i < e_.relations.size(); ++i) {
      const graph::Relation& r = e_.relations[i];
      const Dual4& z = crossing_[i];
      const bool by_rate = z.v == 0.0 && z.d[0] != 0.0 && rate_is_known(static_cast<int>(i));
      const bool now = graph::outcome(r.op, by_rate ? z.d[0] : z.v);
      if (modes_[r.mode] == static_cast<double>(now)) continue;
      modes_[r.mode] = now;
      changed_.push_back(r.text);
      same = false;
    }
    // What is discrete by an equation has its value from the start: no clause acts for that.
    if (same && !settle_discretes()) break;
    if (pass + 1 == max_passes) give_up();
  }
  remember_conditions();
  if (e_.initial_mode >= 0) modes_[e_.initial_mode] = 1.0;
  remember_previous(true);
  settle(-1);
  if (e_.initial_mode >= 0) {
    modes_[e_.initial_mode] = 0.0;
    follow_end();
  }
  const std::vector<double> times = sample_times();
  for (int s = 0; s < e_.samples; ++s) {
    // The first one that is not over yet.
    const double passed = std::ceil((t_ - times[at(2 * s)]) / times[at(2 * s) + 1] - same_tick);
    modes_[e_.first_sample() + s] = std::max(0.0, passed);
  }
  take_samples(-1);
  remember_conditions();
  find_sleepers();
}

std::vector<double> EventRun::sample_times() {
  std::vector<double> times(2 * e_.sample.size());
  e_.sample_times->run(arguments(), times.data());
  return times;
}

// All clocks that tick at this time are one event: pre() is what was before each of them.
bool EventRun::ring_clocks(int fired) {
  ticking_.clear();
  const std::vector<double> times = sample_times();
  for (int s = 0; s < e_.samples; ++s) {
    const double first = times[at(2 * s)], period = times[at(2 * s) + 1];
    double& taken = modes_[e_.first_sample() + s];
    // The one that fired may be located less well, but is not a tick behind.
    const double near =
        s == fired ? 0.5 * period : same_tick * period + time_resolution * std::abs(t_);
    if (std::abs(first + taken * period - t_) > near) continue;
    ticking_.push_back(s);
    taken += 1.0;
    modes_[e_.sample[at(s)].mode] = 1.0;
  }
  return !ticking_.empty();
}

void EventRun::silence_clocks() {
  for (const int s : ticking_) modes_[e_.sample[at(s)].mode] = 0.0;
}

// Nothing, where another event at this time brought these clocks with it.
void EventRun::take_samples(int fired) {
  if (!ring_clocks(fired)) return;
  check_sides(-1);
  remember_previous(true);
  settle(-1);
  finish();
}

void EventRun::finish() {
  if (!ticking_.empty()) {
    silence_clocks();
    follow_end();
  }
  remember_conditions();
  find_sleepers();
}

// What follows a tick or initial() (b = sample(0, 1)) is over with it: the next is a change again.
void EventRun::follow_end() {
  remember_previous(true);
  if (follow_discretes()) settle(-1);
}

void EventRun::cross(int relation) {
  check_sides(relation);
  ring_clocks(-1);
  remember_previous(true);
  solve();
  evaluate_crossings();
  const double off = std::abs(crossing_[at(relation)].v);
  noise_ = 2.0 * off;
  double size = std::abs(t_);
  for (const int j : e_.depends[at(relation)]) size += std::abs(y_[j]);
  // Another event at this time may have moved it away from zero.
  const bool located = off <= near_zero * size;
  for (std::size_t i = 0; i < crossing_.size(); ++i)
    at_event_[i] = located && std::abs(std::abs(crossing_[i].v) - off) <= same_crossing * off;
  const graph::Relation& r = e_.relations[at(relation)];
  double& mode = modes_[r.mode];
  // An event at the same time may have brought it to the side reached already.
  const double rate = crossing_[at(relation)].d[0];
  const bool known = rate != 0.0 && rate_is_known(relation);
  mode = known ? graph::outcome(r.op, rate) : mode == 0.0;
  settle(relation);
  finish();
}

void EventRun::settle(int fired) {
  std::optional<ModeSearch> search;
  for (int pass = 1;; ++pass) {
    if (pass > max_passes) give_up();
    changed_.clear();
    if (!search) search.emplace(*this, fired, ModeSearch::Discretes::follow);
    solve_mixed(fired, pass);
    const bool acted = this->pass();
    if (!acted && changed_.empty() && pass > 1) return;
    if (e_.values->count() == 0 && changed_.empty()) return;
    if (!jumps_.empty())
      search.reset();                                     // other values to begin with
    else if (pass > max_passes / 2 && search->repeats())  // values of pre() have settled by then
      (void)search->run();
    remember_previous(false);
  }
}

// With the same pre() discrete equations, relations and algebraic variables determine each other: a
// clutch is locked by an equation that reads the torque it has while it is. In the first pass the
// discrete variables are those before the event, and what fired has the side it reached.
void EventRun::solve_mixed(int fired, int pass) {
  if (pass == 1) return find_relations(fired, pass);
  ModeSearch search(*this, fired, ModeSearch::Discretes::follow);
  for (int inner = 0; inner < max_passes; ++inner) {
    // What follows from new values of pre() belongs to the equations that are solved.
    (void)follow_discretes();
    find_relations(fired, pass);
    if (!follow_discretes() || (search.repeats() && search.run())) return;
  }
}

// Relations and algebraic variables determine each other.
void EventRun::find_relations(int fired, int pass) {
  ModeSearch search(*this, fired, ModeSearch::Discretes::keep);
  for (int inner = 0; inner < max_passes; ++inner) {
    solve();
    evaluate_crossings();
    // The one that fired is asked again with the rates of its new side: it may be driven back.
    const bool first = pass == 1 && inner == 0;
    if (!update_relations(fired, first) && !(first && fired >= 0)) {
      // Where these outcomes have no solution, others may have.
      if (rates_ != Rates::all) (void)search.run();
      return;
    }
    if (search.repeats() && search.run()) return;
  }
  give_up();
}

bool EventRun::outcome_now(int relation, int fired) const {
  const graph::Relation& r = e_.relations[at(relation)];
  const double z = crossing_[at(relation)].v, rate = crossing_[at(relation)].d[0];
  const bool here = relation == fired || at_event_[at(relation)];
  if (here && by_rate_ && rate != 0.0 && rate_is_known(relation)) return graph::outcome(r.op, rate);
  double size = std::abs(t_);  // of what the crossing function is a difference of
  for (const int j : e_.depends[at(relation)]) size += std::abs(y_[j]);
  const double at_zero = (here ? noise_ : 0.0) + EventProgram::round_off * size +
                         std::abs(rate) * time_resolution * std::max(1.0, std::abs(t_));
  if (std::abs(z) > at_zero) return graph::outcome(r.op, z);
  if (rate != 0.0 && rate_is_known(relation)) return graph::outcome(r.op, rate);
  return modes_[r.mode] != 0.0;
}

bool EventRun::update_relations(int fired, bool first) {
  bool changed = false;
  for (int i = 0; i < static_cast<int>(e_.relations.size()); ++i) {
    if (first && i == fired) continue;
    const graph::Relation& r = e_.relations[at(i)];
    const bool now = outcome_now(i, fired);
    if (now == (modes_[r.mode] != 0.0)) continue;
    modes_[r.mode] = now;
    changed_.push_back(r.text);
    changed = true;
  }
  return changed;
}

bool EventRun::rate_is_known(int relation) const {
  if (d_.multibody) return e_.positions_only[at(relation)] != 0;
  if (rates_ != Rates::differentiated) return rates_ == Rates::all;
  const std::vector<int>& used = e_.depends[at(relation)];
  return std::all_of(used.begin(), used.end(),
                     [this](int j) { return d_.differentiated[at(j)] != 0; });
}

// Equations and clauses one after another, each with the values that those before it set; pre()
// stays what it was. Variables jump at the end, all of them by values from before.
bool EventRun::pass() {
  bool acted = false, fresh = false;
  jumps_.clear();
  for (const int item : e_.order) {
    if (!fresh) evaluate_values();
    fresh = true;
    if (!(item >= 0 ? update_discrete(item) : act(-1 - item))) continue;
    acted = true;
    fresh = false;
  }
  for (const auto& [target, value] : jumps_) *target = value;
  return acted;
}

bool EventRun::update_discrete(int k) {
  double& v = modes_[e_.assigned[at(k)].mode];
  if (v == values_[at(k)]) return false;
  v = values_[at(k)];
  changed_.push_back(e_.assigned[at(k)].name);
  return true;
}

// Equations alone, once in their order, with pre() as it is.
bool EventRun::follow_discretes() {
  bool changed = false;
  for (const int item : e_.order) {
    if (item < 0) continue;
    evaluate_values();
    changed = update_discrete(item) || changed;
  }
  return changed;
}

bool EventRun::settle_discretes() {
  const bool changed = follow_discretes();
  if (changed) remember_previous(false);
  return changed;
}

// The clause and its alternatives: the first one whose condition became true acts.
bool EventRun::act(int first) {
  bool acted = false;
  for (std::size_t w = at(first); w < e_.whens.size(); ++w) {
    const EventProgram::When& when = e_.whens[w];
    if (static_cast<int>(w) != first && when.first != first) continue;
    double& before = modes_[e_.first_condition() + static_cast<int>(w)];
    const bool holds = values_[at(when.row)] != 0.0, fires = holds && before == 0.0;
    before = holds;
    if (!fires || acted) continue;
    acted = true;
    changed_.push_back(when.name);
    for (const EventProgram::Action& a : when.actions) {
      if (a.kind == BuiltAction::Kind::stop) {
        stops_ = true;
        message_ = a.message;
        continue;
      }
      double* target = value_of(a.target_kind, a.target);
      if (a.kind == BuiltAction::Kind::reinit)
        jumps_.emplace_back(target, values_[at(a.row)]);
      else
        *target = values_[at(a.row)];
    }
  }
  return acted;
}

void EventRun::evaluate_crossings() {
  if (e_.relations.empty()) return;
  const Arguments<double> a = arguments();
  const int n = static_cast<int>(yp_.size()), count = e_.size(), q = d_.mechanics.q;
  std::vector<Dual4> y(at(n)), yp(at(n)), p;
  for (int i = 0; i < n; ++i) {
    y[at(i)] = Dual4(y_[i]);
    y[at(i)].d[0] = d_.multibody ? (i < q ? y_[q + i] : 0.0) : yp_[i];
    yp[at(i)] = Dual4(yp_[i]);
  }
  for (const double value : p_) p.emplace_back(value);
  Arguments<Dual4> moved;
  moved.t = Dual4(t_);
  moved.t.d[0] = 1.0;
  for (std::size_t k = 0; k < a.x.size(); ++k)
    if (a.x[k] && a.x[k] != yp_.data()) moved.x[k] = y.data() + (a.x[k] - y_);
  if (!d_.multibody) moved.x[slot::State::yp] = yp.data();
  moved.p = p.data();
  moved.parameter_count = static_cast<int>(p.size());
  moved.modes = modes_;
  moved.mode_count = count;
  e_.crossings->run(moved, crossing_.data());
}

void EventRun::give_up() const {
  std::vector<std::string> names = changed_;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  throw InvalidArgument(fmt::format(
      "the conditions of the model do not settle at t = {:.10g}: after {} passes {} still "
      "{}. Give {} a hysteresis, or put the comparison into no_event()",
      t_, max_passes, fmt::join(names, ", "), names.size() == 1 ? "changes" : "change each other",
      names.size() == 1 ? "it" : "them"));
}

}  // namespace daedalus
