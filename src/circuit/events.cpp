// SPDX-License-Identifier: BSD-3-Clause
// Switches and comparisons during a run: located where their control crosses a threshold, and
// changed there. Between these times their modes stay what they are, so that no step sees a jump.
#include <algorithm>
#include <cmath>

#include "circuit/circuit_data.hpp"
#include "graph/jacobian.hpp"
#include "graph/lower.hpp"
#include "model/compiled.hpp"

namespace daedalus::circuit {
namespace {

// Controls whose clocks complement each other reach their thresholds at one time, up to rounding
// errors. One that is nearer than this part of its noise changes with the other; one that rests at
// its threshold is a whole noise away from where it changes.
constexpr double together = 0.9;

// The control as a function of the state.
struct Control {
  std::shared_ptr<const Circuit::Data> data;
  std::shared_ptr<const Formulas> formula;
  double operator()(double t, const double* x, const double* modes) const {
    double value = 0.0;
    const std::vector<double>& p = data->equations->parameters;
    Arguments<double> a;
    a.t = t;
    a.x[0] = x;
    a.p = p.data();
    a.parameter_count = static_cast<int>(p.size());
    a.modes = modes;
    formula->run(a, &value);
    return value;
  }
};

// A mode that follows its control: 1 above, 0 below, or the other way round.
struct Follower {
  std::string rising, falling;  // names of the events
  Control control;
  int mode, last;             // discrete variables: its own, and the time of the last switching
  double rises_at, falls_at;  // a band between them: what rests at a threshold is on no side
  double noise;
  double above = 1.0, below = 0.0;
};
using Followers = std::shared_ptr<const std::vector<Follower>>;

// What is about to change changes as well: a coil whose switch opens a moment before the other one
// closes has nowhere to go.
void change_together(const std::vector<Follower>& followers, EventContext& context) {
  for (const Follower& f : followers) {
    if (f.noise == 0.0) continue;
    const double control = f.control(context.t, context.y.data(), context.modes.data());
    double& mode = context.modes[f.mode];
    if (mode != f.above && std::fabs(control - f.rises_at) <= together * f.noise)
      mode = f.above;
    else if (mode != f.below && std::fabs(control - f.falls_at) <= together * f.noise)
      mode = f.below;
  }
}

// The one of the two events that cannot happen in the present mode stays away from zero. New values
// of other modes may have taken the control to the other side at once: that is no crossing of a
// function that is continuous, so at the time of the last switching it counts as not yet there.
Event crossing(const Followers& followers, std::size_t which, bool rising) {
  const Follower& f = (*followers)[which];
  const double to = rising ? f.above : f.below, level = rising ? f.rises_at : f.falls_at;
  Event e;
  e.name = rising ? f.rising : f.falling;
  e.direction = rising ? Crossing::rising : Crossing::falling;
  e.when = [control = f.control, mode = f.mode, last = f.last, side = rising ? 1.0 : -1.0, to,
            level](const StateView& x) {
    if (x.modes()[mode] == to) return -side;
    const double distance = control(x.t(), x.all().data(), x.modes().data()) - level;
    return side * distance > 0.0 && x.t() <= x.modes()[last] ? -side : distance;
  };
  e.action = EventAction::handle;
  e.handler = [followers, mode = f.mode, last = f.last, to](EventContext& context) {
    change_together(*followers, context);
    context.modes[mode] = to;
    context.modes[last] = context.t;
    context.solve_algebraic = true;
  };
  return e;
}

// What each control changes by when all unknowns change by their rounding errors: sources that rest
// at zero leave 1e-14 V there, and a control that rests at its threshold does not cross it.
std::vector<double> noise_of_controls(Circuit::Data& data) {
  // V and A: far above rounding, and passed within no time that a tolerance would show.
  constexpr double voltage = 1e-9, current = 1e-12;
  Network& net = data.assembly->network;
  graph::Graph& g = net.builder.graph();
  graph::Outputs controls;
  for (const Switch& s : net.switches) controls.add(s.control);
  for (const auto& s : net.relations.crossings.single) controls.add(s.value);
  const graph::Jacobian j =
      graph::jacobian(g, graph::lower(g, controls), graph::InputKind::state, net.unknowns());
  std::vector<double> noise(static_cast<std::size_t>(controls.count), 0.0);
  std::vector<double> x = data.operating_point().x;
  // Where a control is flat (v^2 at 0) its slope is taken beside the operating point.
  for (const double beside : {0.0, 1.0}) {
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] += static_cast<int>(k) < net.nodes() ? beside : 1e-3 * beside;
    std::vector<double> at(noise.size(), 0.0);
    const std::vector<double> slopes = data.equations->values(g, j.entries, x.data());
    for (int c = 0; c < j.columns; ++c)
      for (int k = j.outer[static_cast<std::size_t>(c)];
           k < j.outer[static_cast<std::size_t>(c) + 1]; ++k)
        at[static_cast<std::size_t>(j.inner[static_cast<std::size_t>(k)])] +=
            std::fabs(slopes[static_cast<std::size_t>(k)]) * (c < net.nodes() ? voltage : current);
    for (std::size_t k = 0; k < at.size(); ++k)
      if (std::isfinite(at[k])) noise[k] = std::max(noise[k], at[k]);
  }
  return noise;
}

}  // namespace

std::vector<Event> switching_events(std::shared_ptr<Circuit::Data> data) {
  const Network& net = data->assembly->network;
  const std::vector<double> noise = noise_of_controls(*data);
  std::vector<Follower> list;
  std::size_t k = 0;
  for (const Switch& s : net.switches) {
    // What rests at the threshold keeps its state, as inside of a band.
    list.push_back({s.name + " closes",
                    s.name + " opens",
                    {data, data->transient.crossings[k]},
                    s.on.graph()->number(s.on.node()),
                    net.last_switching,
                    s.rises_at + noise[k],
                    s.falls_at - noise[k],
                    noise[k]});
    ++k;
  }
  for (const graph::Relation& r : net.relations.all) {
    const bool above = graph::outcome(r.op, 1.0), below = graph::outcome(r.op, -1.0);
    // Equality belongs to one of the sides, and so does what rests there.
    const double rises = graph::outcome(r.op, 0.0) == above ? -1.0 : 2.0;
    list.push_back({r.text,
                    r.text,
                    {data, data->transient.crossings[k]},
                    r.mode,
                    net.last_switching,
                    rises * noise[k],
                    (rises - 1.0) * noise[k],
                    0.0,
                    above ? 1.0 : 0.0,
                    below ? 1.0 : 0.0});
    ++k;
  }
  const auto followers = std::make_shared<const std::vector<Follower>>(std::move(list));
  std::vector<Event> events;
  for (std::size_t i = 0; i < followers->size(); ++i)
    for (const bool rising : {true, false}) events.push_back(crossing(followers, i, rising));
  return events;
}

}  // namespace daedalus::circuit
