// SPDX-License-Identifier: BSD-3-Clause
// The events of a compiled model: one per relation and one per sampled clock.
#include <fmt/format.h>

#include <cmath>

#include "kernel/at.hpp"
#include "model/event_run.hpp"

namespace daedalus {
namespace {

constexpr double at_rest = 1e-300;  // a crossing function that is zero up to rounding

struct Shared {
  std::shared_ptr<const Model::Data> model;
  std::vector<double> parameters;

  Arguments<double> arguments(const StateView& s) const {
    return model->arguments(s.t(), s.all().data(), nullptr, parameters, s.modes().data());
  }

  template <class Act>
  void run(EventContext& context, Act&& act) const {
    EventRun event(*model, parameters, context.t, context.y.data(), context.modes.data());
    act(event);
    context.solve_algebraic = true;
    context.stop = event.stops();
  }
};

Event event_of(const std::shared_ptr<const Shared>& shared, int relation) {
  Event e;
  const EventProgram& program = shared->model->events;
  e.name = program.relations[at(relation)].text;
  e.when = [shared, relation](const StateView& s) {
    const EventProgram& events = shared->model->events;
    if (s.modes()[events.first_sleeper() + relation] != 0.0) return 1.0;
    double z = 0.0;
    shared->model->events.crossing[at(relation)]->run(shared->arguments(s), &z);
    // Beyond all numbers (a time that has not come yet is infinite) it stays where it is.
    if (std::isinf(z)) return std::copysign(1.0, z);
    // Within rounding it is on the side that holds: what rests at zero makes no events.
    const graph::Relation& r = events.relations[at(relation)];
    double size = std::abs(s.t());
    for (const int j : events.depends[at(relation)]) size += std::abs(s.all()[j]);
    // Met exactly: times, and what modes of higher index are found by (event_sleep.cpp).
    const bool exact = events.depends[at(relation)].empty() || !shared->model->solves_events();
    if (exact || std::abs(z) > EventProgram::round_off * size) return z;
    return graph::outcome(r.op, 1.0) == (s.modes()[r.mode] != 0.0) ? at_rest : -at_rest;
  };
  e.action = EventAction::handle;
  e.handler = [shared, relation](EventContext& context) {
    shared->run(context, [relation](EventRun& run) { run.cross(relation); });
  };
  return e;
}

Event clock_of(const std::shared_ptr<const Shared>& shared, int sample, double first,
               double period) {
  Event e;
  const EventProgram& program = shared->model->events;
  e.name = program.sample[at(sample)].name;
  const int counter = program.first_sample() + sample;
  e.when = [counter, first, period](const StateView& s) {
    return s.t() - (first + s.modes()[counter] * period);
  };
  e.direction = Crossing::rising;
  e.action = EventAction::handle;
  e.handler = [shared, sample](EventContext& context) {
    shared->run(context, [sample](EventRun& run) { run.take_samples(sample); });
  };
  return e;
}

}  // namespace

std::vector<Event> Model::events(const Values& values) const {
  const Data& d = *data_;
  auto shared = std::make_shared<const Shared>(Shared{data_, d.parameter_values(values)});
  std::vector<Event> events;
  for (int i = 0; i < static_cast<int>(d.events.relations.size()); ++i)
    events.push_back(event_of(shared, i));
  std::vector<double> times(2 * d.events.sample.size());
  d.events.sample_times->run(
      d.arguments(d.interval.from, nullptr, nullptr, shared->parameters, nullptr), times.data());
  for (int s = 0; s < d.events.samples; ++s) {
    if (!(times[at(2 * s) + 1] > 0.0))
      throw InvalidArgument(fmt::format("'{}': the period is {:.6g}, allowed: above 0",
                                        d.events.sample[at(s)].name, times[at(2 * s) + 1]));
    events.push_back(clock_of(shared, s, times[at(2 * s)], times[at(2 * s) + 1]));
  }
  return events;
}

}  // namespace daedalus
