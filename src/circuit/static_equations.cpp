// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/static_equations.hpp"

#include <algorithm>
#include <cmath>

#include "graph/lower.hpp"

namespace daedalus::circuit {
namespace {

SparsePattern pattern_of(const graph::Jacobian& j) {
  SparsePattern p;
  p.rows = j.rows;
  p.cols = j.columns;
  p.start = j.outer;
  p.row = j.inner;
  return p;
}

}  // namespace

StaticEquations::Compiled StaticEquations::compile(graph::Graph& graph,
                                                   const graph::Outputs& outputs) {
  Compiled c;
  c.program = graph::Program(graph, outputs);
  c.workspace = graph::Workspace<double>(c.program);
  return c;
}

StaticEquations::StaticEquations(Network& network) : n_(network.unknowns()) {
  graph::Graph& g = network.builder.graph();
  graph::Outputs all, charges_only;
  const auto add_rows = [&all](const std::vector<Expr>& rows) {
    for (const Expr& e : rows) {
      if (!e.is_number(0.0)) all.single.push_back({all.count, e});
      ++all.count;
    }
  };
  add_rows(network.fixed_part);
  add_flows(network.conductances, graph::InputKind::state, 1.0, all);
  add_rows(network.source_part);
  for (const Switch& s : network.switches) all.add(s.control);
  for (const auto& s : network.relations.crossings.single) all.add(s.value);
  for (const Charge& q : network.charges) {
    if (!q.tabled) charges_only.single.push_back({charges_only.count, q.value});
    ++charges_only.count;
  }
  add_values(network.capacitances, network.capacitance_charges, charges_only);
  switch_count_ = network.switches.size() + network.relations.all.size();
  charges_only = graph::lower(g, charges_only);
  all = graph::lower(g, all);
  values_ = compile(g, all);
  graph::Outputs rest_only;
  rest_only.count = n_;
  for (const auto& s : all.single)
    if (s.row < n_) rest_only.single.push_back(s);
  rest_only.maps = all.maps;
  const graph::Jacobian j = graph::jacobian(g, rest_only, graph::InputKind::state, n_);
  pattern_ = pattern_of(j);
  jacobian_values_ = compile(g, j.entries);
  charge_values_ = compile(g, charges_only);
  const graph::Jacobian e = graph::jacobian(g, charges_only, graph::InputKind::state, n_);
  charge_pattern_ = pattern_of(e);
  charge_jacobian_values_ = compile(g, e.entries);
  parameters.resize(static_cast<std::size_t>(g.count(graph::InputKind::parameter)));
  modes.assign(static_cast<std::size_t>(network.mode_count()), 0.0);
  if (!network.gmin.is_number()) gmin_ = g.number(network.gmin.node());
  rest.resize(static_cast<std::size_t>(n_));
  sources.resize(rest.size());
  jacobian.resize(pattern_.row.size());
  charge.resize(network.charges.size());
  charge_jacobian.resize(charge_pattern_.row.size());
  both_.resize(2 * rest.size() + switch_count_);
  controls_.resize(switch_count_);
  state_.assign(static_cast<std::size_t>(g.count(graph::InputKind::state)), 0.0);
}

std::vector<double> StaticEquations::source_values(Network& network) const {
  graph::Outputs outputs;
  for (const IndependentSource& s : network.sources) outputs.add(s.value);
  const std::vector<double> x(static_cast<std::size_t>(n_), 0.0);
  return values(network.builder.graph(), outputs, x.data());
}

std::vector<double> StaticEquations::values(graph::Graph& graph, const graph::Outputs& formulas,
                                            const double* x) const {
  Compiled c = compile(graph, graph::lower(graph, formulas));
  std::vector<double> list(static_cast<std::size_t>(formulas.count));
  c.run(*this, x, list);
  return list;
}

graph::Point<double> StaticEquations::point(const double* x) const {
  graph::Point<double> p;
  p[graph::InputKind::state] = x;
  p[graph::InputKind::time] = &t;
  p[graph::InputKind::parameter] = parameters.data();
  p.modes = modes.data();
  return p;
}

bool StaticEquations::Compiled::run(const StaticEquations& own, const double* x,
                                    std::vector<double>& out) {
  if (out.empty()) return true;
  if (workspace.run(program, own.point(x), out.data()) >= 0) return false;
  return std::all_of(out.begin(), out.end(), [](double v) { return std::isfinite(v); });
}

bool StaticEquations::evaluate(const double* x) {
  if (!values_.run(*this, x, both_)) return false;
  const auto n = static_cast<std::ptrdiff_t>(n_);
  std::copy(both_.begin(), both_.begin() + n, rest.begin());
  std::copy(both_.begin() + n, both_.begin() + 2 * n, sources.begin());
  std::copy(both_.begin() + 2 * n, both_.end(), controls_.begin());
  return true;
}

bool StaticEquations::linearise(const double* x) {
  return jacobian_values_.run(*this, x, jacobian);
}
bool StaticEquations::charges(const double* x) { return charge_values_.run(*this, x, charge); }
bool StaticEquations::capacitances(const double* x) {
  return charge_jacobian_values_.run(*this, x, charge_jacobian);
}

}  // namespace daedalus::circuit
