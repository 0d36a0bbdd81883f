// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/quantity.hpp"

#include <limits>

#include <fmt/format.h>

namespace daedalus {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

QuantityParts parts_of(const Problem& problem) {
  if (const auto* s = std::get_if<SemiExplicitProblem>(&problem))
    return {static_cast<int>(s->y0.size()), static_cast<int>(s->z0.size()), 0};
  if (const auto* b = std::get_if<MultibodyProblem>(&problem))
    return {b->space.points(), b->velocities(), b->multipliers()};
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem))
    return {static_cast<int>(m->y0.size()), 0};
  return {static_cast<int>(std::get<ImplicitProblem>(problem).y0.size()), 0};
}

double value_of(const Function<slot::Functional>& quantity, QuantityParts parts, double t,
                const double* x, const double* p, int parameters) {
  Arguments<double> a;
  a.t = t;
  a.x = {x, x + parts.first, x + parts.first + parts.second, nullptr, nullptr};
  a.n = {parts.first, parts.second, parts.third, 0, 0};
  a.p = p;
  a.parameter_count = parameters;
  double value = no_number;
  return quantity(a, &value, 1) == Eval::ok ? value : no_number;
}

double functional_of(const EnsembleTask& task, double t, const double* x) {
  if (!task.functional) return no_number;
  std::vector<double> p;
  std::visit(
      [&](const auto& problem) {
        for (const Parameter& parameter : problem.parameters) p.push_back(parameter.value);
      },
      task.problem);
  return value_of(task.functional, parts_of(task.problem), t, x, p.data(),
                  static_cast<int>(p.size()));
}

void add_stops(const EnsembleTask& task, std::vector<Event>& events) {
  for (const EnsembleStop& stop : task.stops) {
    if (!stop.when)
      throw InvalidArgument(fmt::format("stops: '{}' has no function `when`", stop.name));
    const auto when = [f = stop.when, parts = parts_of(task.problem)](const StateView& s) {
      return value_of(f, parts, s.t(), s.all().data(), s.p().data(),
                      static_cast<int>(s.p().size()));
    };
    events.push_back({.name = stop.name,
                      .when = when,
                      .direction = stop.direction,
                      .action = EventAction::stop});
  }
}

std::string stopped_message(const std::string& stop, double t) {
  return fmt::format("Stopped by event '{}' at t = {:.10g}.", stop, t);
}

}  // namespace daedalus
