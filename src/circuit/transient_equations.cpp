// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/transient_equations.hpp"

#include <algorithm>
#include <span>

#include "graph/lower.hpp"
#include "graph/rewrite.hpp"

namespace daedalus::circuit {
namespace {

using graph::InputKind;

// Rows without a formula are left to the maps.
graph::Outputs rows_of(const std::vector<Expr>& rows) {
  graph::Outputs outputs;
  outputs.count = static_cast<int>(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (!rows[k].is_number(0.0)) outputs.single.push_back({static_cast<int>(k), rows[k]});
  return outputs;
}

std::shared_ptr<const Formulas> one(graph::Graph& g, const Expr& value,
                                    const FormulaSettings& settings) {
  graph::Outputs outputs;
  outputs.add(value);
  return std::make_shared<const Formulas>(g, graph::lower(g, outputs), settings);
}

Expr value_of(const Network& net, std::size_t k) {
  const Charge& q = net.charges[k];
  if (!q.tabled) return q.value;
  const auto place = std::lower_bound(net.capacitance_charges.begin(),
                                      net.capacitance_charges.end(), static_cast<int>(k)) -
                     net.capacitance_charges.begin();
  return net.capacitances.value[static_cast<std::size_t>(place)] * net.v(q.node_a, q.node_b);
}

// x_a' of every unknown of a formula in place of x_a.
graph::Rewriter rates(graph::Graph& g) {
  return graph::Rewriter(g, g, [&g](int node, std::span<const Expr>, Expr& result) {
    if (g.node(node).op != graph::Op::input || g.kind(node) != InputKind::state) return false;
    result = g.input(InputKind::derivative, g.number(node));
    return true;
  });
}

void implicit_form(Network& net, const std::shared_ptr<graph::Graph>& shared,
                   std::vector<Expr> rows, const FormulaSettings& settings,
                   TransientEquations& result) {
  graph::Graph& g = *shared;
  graph::Rewriter rate_of = rates(g);
  int n = net.unknowns();
  std::vector<Expr> definitions;
  for (std::size_t k = 0; k < net.charges.size(); ++k) {
    const Charge& q = net.charges[k];
    if (q.tabled) continue;
    Expr rate;
    if (q.linear) {
      rate = rate_of(q.value);
    } else {
      definitions.push_back(q.value - g.input(InputKind::state, n, q.name));
      rate = g.input(InputKind::derivative, n++);
      result.charges.push_back(static_cast<int>(k));
    }
    if (q.plus != ground) rows[static_cast<std::size_t>(q.plus)] += rate;
    if (q.minus != ground) rows[static_cast<std::size_t>(q.minus)] -= rate;
  }
  rows.insert(rows.end(), definitions.begin(), definitions.end());
  graph::Outputs outputs = rows_of(rows);
  add_flows(net.conductances, InputKind::state, 1.0, outputs);
  add_flows(net.capacitances, InputKind::derivative, 1.0, outputs);
  result.residual = std::make_shared<const FormulaFunction>(
      shared, outputs, settings,
      FormulaFunction::Wanted{{slot::State::y, slot::State::yp}, {n, n}, true});
}

// f of M x' = f; with charge variables 0 = q(x) - q behind the equations of the network.
void mass_form(Network& net, const std::shared_ptr<graph::Graph>& shared, std::vector<Expr> rows,
               const FormulaSettings& settings, TransientEquations& result) {
  int n = net.unknowns();
  for (Expr& row : rows) row = -row;
  if (result.form == CircuitForm::charge_variables)
    for (std::size_t k = 0; k < net.charges.size(); ++k) {
      rows.push_back(value_of(net, k) - shared->input(InputKind::state, n++, net.charges[k].name));
      result.charges.push_back(static_cast<int>(k));
    }
  graph::Outputs outputs = rows_of(rows);
  add_flows(net.conductances, InputKind::state, -1.0, outputs);
  result.rhs = std::make_shared<const FormulaFunction>(
      shared, outputs, settings, FormulaFunction::Wanted{{slot::State::y}, {n}, true});
}

}  // namespace

std::string_view name_of(CircuitForm form) {
  switch (form) {
    case CircuitForm::charge_variables:
      return "charge-variables";
    case CircuitForm::conventional:
      return "conventional";
    default:
      return "charge";
  }
}

TransientEquations transient_equations(Network& net, std::shared_ptr<graph::Graph> shared,
                                       CircuitForm form) {
  TransientEquations result;
  result.form = form;
  FormulaSettings settings;
  settings.mode_count = net.mode_count();
  std::vector<Expr> rows(net.fixed_part.size());
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = net.fixed_part[k] + net.source_part[k];
  if (form == CircuitForm::charge)
    implicit_form(net, shared, std::move(rows), settings, result);
  else
    mass_form(net, shared, std::move(rows), settings, result);
  for (const Switch& s : net.switches)
    result.crossings.push_back(one(*shared, s.control, settings));
  for (const auto& s : net.relations.crossings.single)
    result.crossings.push_back(one(*shared, s.value, settings));
  return result;
}

}  // namespace daedalus::circuit
