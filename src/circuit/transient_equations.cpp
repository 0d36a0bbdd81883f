// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/transient_equations.hpp"

#include <span>

#include "graph/lower.hpp"
#include "graph/rewrite.hpp"

namespace daedalus::circuit {
namespace {

using graph::InputKind;

graph::Outputs rows_of(const std::vector<Expr>& rows) {
  graph::Outputs outputs;
  for (const Expr& e : rows) outputs.add(e);
  return outputs;
}

std::shared_ptr<const Formulas> one(graph::Graph& g, const Expr& value,
                                    const FormulaSettings& settings) {
  graph::Outputs outputs;
  outputs.add(value);
  return std::make_shared<const Formulas>(g, graph::lower(g, outputs), settings);
}

}  // namespace

TransientEquations transient_equations(Network& net, std::shared_ptr<graph::Graph> shared,
                                       bool conventional) {
  TransientEquations result;
  graph::Graph& g = *shared;
  FormulaSettings settings;
  settings.mode_count = net.mode_count();
  std::vector<Expr> rows(net.fixed_part.size());
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = net.fixed_part[k] + net.source_part[k];
  if (conventional) {
    for (Expr& row : rows) row = -row;
    result.rhs = std::make_shared<const FormulaFunction>(
        shared, rows_of(rows), settings,
        FormulaFunction::Wanted{{slot::State::y}, {net.unknowns()}, true});
    return result;
  }
  graph::Rewriter rate_of(g, g, [&g](int node, std::span<const Expr>, Expr& result_of) {
    if (g.node(node).op != graph::Op::input || g.kind(node) != InputKind::state) return false;
    result_of = g.input(InputKind::derivative, g.number(node));
    return true;
  });
  int n = net.unknowns();
  std::vector<Expr> definitions;
  for (std::size_t k = 0; k < net.charges.size(); ++k) {
    const Charge& q = net.charges[k];
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
  result.residual = std::make_shared<const FormulaFunction>(
      shared, rows_of(rows), settings,
      FormulaFunction::Wanted{{slot::State::y, slot::State::yp}, {n, n}, true});
  for (const Switch& s : net.switches) result.crossings.push_back(one(g, s.control, settings));
  for (const auto& s : net.relations.crossings.single)
    result.crossings.push_back(one(g, s.value, settings));
  return result;
}

}  // namespace daedalus::circuit
