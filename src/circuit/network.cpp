// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/network.hpp"

#include <fmt/format.h>

#include "circuit/netlist/lines.hpp"

namespace daedalus::circuit {

Network::Network(std::string name) : builder(std::move(name)) {}

void Network::reserve(std::size_t elements) {
  node_numbers_.reserve(elements / 2);
  node_names.reserve(elements / 2);
  edges.reserve(elements);
}

int Network::node(const std::string& name) {
  if (name == "0" || name == "gnd") return ground;
  const auto [i, added] = node_numbers_.emplace(name, static_cast<int>(node_names.size()));
  if (added) node_names.push_back(name);
  return i->second;
}

int Network::find_node(const std::string& name) const {
  if (name == "0" || name == "gnd") return ground;
  const auto i = node_numbers_.find(name);
  return i == node_numbers_.end() ? no_node : i->second;
}

int Network::add_branch(std::string element, bool coil) {
  const int number = static_cast<int>(branches.size());
  branch_numbers_.emplace(element, number);
  Branch branch;
  branch.name = std::move(element);
  branch.coil = coil;
  branches.push_back(std::move(branch));
  return number;
}

int Network::find_branch(const std::string& element) const {
  const auto i = branch_numbers_.find(element);
  return i == branch_numbers_.end() ? -1 : i->second;
}

void Network::close_layout() {
  graph::Graph& g = builder.graph();
  const auto add = [&](std::string name, std::string row) {
    x_.push_back(g.state(name));
    unknown_names.push_back(std::move(name));
    row_names.push_back(std::move(row));
  };
  for (const std::string& n : node_names)
    add(fmt::format("v({})", n), fmt::format("current out of node {}", n));
  branch_rows_.resize(branches.size());
  for (const bool coils : {true, false})
    for (std::size_t k = 0; k < branches.size(); ++k)
      if (branches[k].coil == coils) {
        branch_rows_[k] = static_cast<int>(x_.size());
        add(fmt::format("i({})", branches[k].name),
            fmt::format("{} of {}", branches[k].sensed ? "current" : "voltage", branches[k].name));
      }
  fixed_part.assign(x_.size(), Expr(0.0));
  source_part.assign(x_.size(), Expr(0.0));
}

Expr Network::add_parameter(const std::string& name, double value, ParameterOptions options) {
  const Expr p = builder.parameter(name, value, std::move(options));
  default_numbers_.emplace(lower_case(name), static_cast<int>(defaults_.size()));
  defaults_.push_back({name, builder.graph().number(p.node()), value});
  return p;
}

std::vector<Parameter> Network::parameters() const {
  std::vector<Parameter> list(defaults_.size());
  for (const Default& d : defaults_) list[static_cast<std::size_t>(d.number)] = {d.name, d.value};
  return list;
}

void Network::extract_relations() {
  if (compares) replace_relations();
  if (mode_count() == 0) return;
  const Expr last = builder.graph().mode("time of the last switching");
  last_switching = builder.graph().number(last.node());
}

void Network::replace_relations() {
  graph::RelationTable table(builder.graph(), mode_count());
  for (std::vector<Expr>* rows : {&fixed_part, &source_part})
    for (Expr& e : *rows) e = table.extract(e);
  for (Charge& q : charges)
    if (!q.tabled) q.value = table.extract(q.value);
  relations = table.relations();
}

int Network::parameter_number(const std::string& name) const {
  const auto found = default_numbers_.find(name);
  return found == default_numbers_.end()
             ? -1
             : defaults_[static_cast<std::size_t>(found->second)].number;
}

std::vector<std::pair<int, double>> Network::parameter_values(
    const std::map<std::string, double>& values) const {
  std::vector<std::pair<int, double>> list;
  for (const Default& d : defaults_) {
    const auto given = values.find(d.name);
    list.emplace_back(d.number, given == values.end() ? d.value : given->second);
  }
  return list;
}

void Network::flow(std::vector<Expr>& rows, int from, int to, const Expr& value) {
  if (from == to) return;
  if (from != ground) rows[static_cast<std::size_t>(row_at(from))] += value;
  if (to != ground) rows[static_cast<std::size_t>(row_at(to))] -= value;
}

void Network::begin_sensing(int branch, int at, int other) {
  sensed_ = branch;
  sensed_node_ = at == other ? no_node : at != ground ? at : other;
  sensed_sign_ = at != ground ? 1.0 : -1.0;
}

void Network::end_sensing() {
  if (sensed_ < 0) return;
  const int branch = sensed_;
  const Expr out = sensed_sign_ * i(branch);
  sensed_ = -1;
  fixed_part[static_cast<std::size_t>(row_of_branch(branch))] -= out;
  if (sensed_node_ != no_node) fixed_part[static_cast<std::size_t>(sensed_node_)] += out;
}

void Network::add_charge(Charge charge) {
  charge.plus = row_at(charge.plus);
  charge.minus = row_at(charge.minus);
  charges.push_back(std::move(charge));
}

void Network::add_capacitance(Charge charge, double value) {
  charge.linear = charge.tabled = true;
  capacitances.add(charge.node_a, charge.node_b, value);
  capacitance_charges.push_back(static_cast<int>(charges.size()));
  charges.push_back(std::move(charge));
}

void Network::current(int from, int to, const Expr& value) { flow(fixed_part, from, to, value); }

void Network::source_current(int from, int to, const Expr& value) {
  flow(source_part, from, to, value);
}

void Network::branch_current(int branch, int from, int to) {
  flow(fixed_part, from, to, i(branch));
}

void Network::branch_row(int branch, const Expr& value) {
  fixed_part[static_cast<std::size_t>(row_of_branch(branch))] += value;
}

void Network::branch_source(int branch, const Expr& value) {
  source_part[static_cast<std::size_t>(row_of_branch(branch))] += value;
}

}  // namespace daedalus::circuit
