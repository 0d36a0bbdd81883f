// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "kernel/at.hpp"
#include "model/builder_data.hpp"

namespace daedalus {

using graph::InputKind;

Coordinate ModelBuilder::coordinate(std::string_view position, std::string_view velocity,
                                    VariableOptions options, VariableOptions velocity_options) {
  BuiltMechanics& m = data_->mechanics;
  const int number = static_cast<int>(m.q.size());
  const Coordinate c{data_->graph->input(InputKind::position, number, position),
                     data_->graph->input(InputKind::velocity, number, velocity)};
  data_->take_name(position, c.q, options.position);
  data_->take_name(velocity, c.v, velocity_options.position);
  m.q.push_back({std::string(position), std::move(options)});
  m.v.push_back({std::string(velocity), std::move(velocity_options)});
  m.force.emplace_back(0.0);
  return c;
}

void ModelBuilder::mass(const Coordinate& row, const Coordinate& column, const Expr& value) {
  const graph::Graph& g = *data_->graph;
  const int i = g.number(row.v.node()), j = g.number(column.v.node());
  data_->mechanics.mass.push_back({i, j, value});
  if (i != j) data_->mechanics.mass.push_back({j, i, value});
}

void ModelBuilder::force(const Coordinate& row, const Expr& value) {
  data_->mechanics.force[at(data_->graph->number(row.v.node()))] += value;
}

Expr ModelBuilder::constraint(const Expr& g, std::string_view multiplier, ItemOptions options) {
  BuiltMechanics& m = data_->mechanics;
  if (!m.nonholonomic.empty())
    throw InvalidArgument("constraint: constraints g(t, q) come before nonholonomic ones");
  const Expr lambda =
      data_->graph->input(InputKind::multiplier, static_cast<int>(m.holonomic.size()), multiplier);
  data_->take_name(multiplier, lambda, options.position);
  m.holonomic.push_back({std::string(multiplier), g, 0.0, std::move(options)});
  return lambda;
}

Expr ModelBuilder::nonholonomic(const Expr& row, std::string_view multiplier, ItemOptions options) {
  BuiltMechanics& m = data_->mechanics;
  const int number = static_cast<int>(m.holonomic.size() + m.nonholonomic.size());
  const Expr lambda = data_->graph->input(InputKind::multiplier, number, multiplier);
  data_->take_name(multiplier, lambda, options.position);
  m.nonholonomic.push_back({std::string(multiplier), row, 0.0, std::move(options)});
  return lambda;
}

Expr ModelBuilder::dynamic_variable(std::string_view name, VariableOptions options) {
  BuiltMechanics& m = data_->mechanics;
  const Expr c = data_->graph->input(InputKind::auxiliary, static_cast<int>(m.c.size()), name);
  data_->take_name(name, c, options.position);
  m.c.push_back({std::string(name), std::move(options)});
  m.dynamics.emplace_back(0.0);
  return c;
}

void ModelBuilder::dynamics(const Expr& variable, const Expr& value) {
  const graph::Graph& g = *data_->graph;
  if (!g.is_input(variable) || g.kind(variable.node()) != InputKind::auxiliary)
    throw InvalidArgument("dynamics: '" + text(variable, 80) + "' is not a dynamic variable");
  data_->mechanics.dynamics[at(g.number(variable.node()))] = value;
}

void ModelBuilder::invariant(std::string_view name, const Expr& value) {
  data_->invariants.push_back({std::string(name), value, 0.0, {}});
}

}  // namespace daedalus
