// SPDX-License-Identifier: BSD-3-Clause
#include "circuit/transient_equations.hpp"

#include "graph/lower.hpp"

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
  settings.mode_count = g.count(InputKind::mode);
  const int n = net.unknowns(), m = static_cast<int>(net.charges.size());
  std::vector<Expr> rows(net.fixed_part.size());
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = net.fixed_part[k] + net.source_part[k];
  if (conventional) {
    for (Expr& row : rows) row = -row;
    result.rhs = std::make_shared<const FormulaFunction>(
        shared, rows_of(rows), settings,
        FormulaFunction::Wanted{{slot::State::y}, {n}, true});
  } else {
    graph::Outputs charges;
    for (int k = 0; k < m; ++k) {
      const Charge& q = net.charges[static_cast<std::size_t>(k)];
      charges.add(q.value);
      const Expr rate = g.input(InputKind::derivative, k);
      if (q.plus != ground) rows[static_cast<std::size_t>(q.plus)] += rate;
      if (q.minus != ground) rows[static_cast<std::size_t>(q.minus)] -= rate;
    }
    result.residual = std::make_shared<const FormulaFunction>(
        shared, rows_of(rows), settings,
        FormulaFunction::Wanted{{slot::State::y, slot::State::yp}, {n, m}, true});
    if (m > 0)
      result.leading = std::make_shared<const FormulaFunction>(
          shared, charges, settings, FormulaFunction::Wanted{{slot::State::y}, {n}, true});
  }
  for (const Switch& s : net.switches) result.crossings.push_back(one(g, s.control, settings));
  for (const auto& s : net.relations.crossings.single)
    result.crossings.push_back(one(g, s.value, settings));
  return result;
}

}  // namespace daedalus::circuit
