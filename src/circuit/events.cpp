// SPDX-License-Identifier: BSD-3-Clause
// Switches and comparisons during a run: located where their control crosses a threshold, and
// changed there. Between these times their modes stay what they are, so that no step sees a jump.
#include "circuit/circuit_data.hpp"
#include "model/compiled.hpp"

namespace daedalus::circuit {
namespace {

// The control as a function of the state.
struct Control {
  std::shared_ptr<const Circuit::Data> data;
  std::shared_ptr<const Formulas> formula;
  double operator()(const StateView& s) const {
    double value = 0.0;
    const std::vector<double>& p = data->equations->parameters;
    Arguments<double> a;
    a.t = s.t();
    a.x[0] = s.all().data();
    a.p = p.data();
    a.parameter_count = static_cast<int>(p.size());
    a.modes = s.modes().data();
    formula->run(a, &value);
    return value;
  }
};

Event change(std::string name, int mode, double to) {
  Event e;
  e.name = std::move(name);
  e.action = EventAction::handle;
  e.handler = [mode, to](EventContext& context) {
    context.modes[mode] = to;
    context.solve_algebraic = true;
  };
  return e;
}

// Two events with a band between them; the one that cannot happen in the present mode stays away
// from zero.
void add_switch(const Switch& s, const Control& control, std::vector<Event>& events) {
  const int mode = s.on.graph()->number(s.on.node());
  Event closes = change(s.name + " closes", mode, 1.0);
  closes.direction = Crossing::rising;
  closes.when = [control, mode, level = s.rises_at](const StateView& x) {
    return x.modes()[mode] != 0.0 ? -1.0 : control(x) - level;
  };
  Event opens = change(s.name + " opens", mode, 0.0);
  opens.direction = Crossing::falling;
  opens.when = [control, mode, level = s.falls_at](const StateView& x) {
    return x.modes()[mode] == 0.0 ? 1.0 : control(x) - level;
  };
  events.push_back(std::move(closes));
  events.push_back(std::move(opens));
}

void add_relation(const graph::Relation& r, const Control& control, std::vector<Event>& events) {
  for (const bool rising : {true, false}) {
    Event e = change(r.text, r.mode, graph::outcome(r.op, rising ? 1.0 : -1.0) ? 1.0 : 0.0);
    e.direction = rising ? Crossing::rising : Crossing::falling;
    e.when = control;
    events.push_back(std::move(e));
  }
}

}  // namespace

std::vector<Event> switching_events(std::shared_ptr<const Circuit::Data> data) {
  std::vector<Event> events;
  const Network& net = data->assembly->network;
  std::size_t k = 0;
  for (const Switch& s : net.switches)
    add_switch(s, {data, data->transient.crossings[k++]}, events);
  for (const graph::Relation& r : net.relations.all)
    add_relation(r, {data, data->transient.crossings[k++]}, events);
  return events;
}

}  // namespace daedalus::circuit
