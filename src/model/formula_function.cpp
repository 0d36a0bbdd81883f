// SPDX-License-Identifier: BSD-3-Clause
#include "model/formula_function.hpp"

#include "graph/jacobian.hpp"
#include "graph/lower.hpp"
#include "graph/reach.hpp"
#include "kernel/at.hpp"
#include "model/record.hpp"

namespace daedalus {
namespace {

SparsePattern pattern_of(const graph::Jacobian& j) { return {j.rows, j.columns, j.outer, j.inner}; }

std::array<bool, 5> vectors_read(const graph::Graph& graph, const graph::Outputs& outputs,
                                 const VectorKinds& kinds) {
  const std::vector<graph::KindSet> depends = graph::dependence(graph);
  graph::KindSet all = 0;
  const auto see = [&](const Expr& e) {
    if (!e.is_number()) all |= depends[at(e.node())];
  };
  for (const auto& s : outputs.single) see(s.value);
  for (const graph::Map& m : outputs.maps)
    for (const graph::MapArgument& a : m.arguments) {
      see(a.scalar);
      if (a.source == graph::MapArgument::Source::input) all |= graph::kind_bit(a.kind);
    }
  std::array<bool, 5> reads{};
  for (std::size_t k = 0; k < kinds.size(); ++k)
    reads[k] = kinds[k] != no_kind && (all & graph::kind_bit(kinds[k])) != 0;
  return reads;
}

}  // namespace

graph::Outputs time_column(graph::Graph& graph, const graph::Outputs& lowered) {
  const graph::Jacobian j = graph::jacobian(graph, lowered, graph::InputKind::time, 1);
  graph::Outputs column = j.entries;
  column.count = lowered.count;
  for (auto& s : column.single) s.row = j.inner[at(s.row)];
  for (graph::Map& m : column.maps)
    for (auto& rows : m.rows)
      for (int& row : rows) row = j.inner[at(row)];
  return column;
}

FormulaFunction::FormulaFunction(std::shared_ptr<graph::Graph> graph, const graph::Outputs& outputs,
                                 const FormulaSettings& settings, const Wanted& wanted)
    : graph_(std::move(graph)),
      lowered_(graph::lower(*graph_, outputs)),
      settings_(settings),
      values_(*graph_, lowered_, settings),
      reads_(vectors_read(*graph_, lowered_, settings.kinds)) {
  for (std::size_t k = 0; k < wanted.vectors.size(); ++k) {
    const auto vector = at(wanted.vectors[k]);
    const graph::Jacobian j =
        graph::jacobian(*graph_, lowered_, settings.kinds[vector], wanted.sizes[k]);
    parts_[vector] = {pattern_of(j), std::make_unique<Formulas>(*graph_, j.entries, settings)};
    any_ = true;
  }
  if (wanted.tangents != std::array<int, 5>{})
    tangent_ = Tangent::make(*graph_, lowered_, settings, wanted.tangents);
  if (wanted.time)
    by_time_ = std::make_unique<Formulas>(*graph_, time_column(*graph_, lowered_), settings);
}

Eval FormulaFunction::call(const Arguments<Recorded>& a, Recorded* out, int rows, int cols) const {
  record(*graph_, lowered_, a, settings_, {out, at(rows) * at(cols)});
  return Eval::ok;
}

const SparsePattern& FormulaFunction::pattern(int vector) const {
  return parts_[at(vector)].pattern;
}

Eval FormulaFunction::by_vector(int vector, const Arguments<double>& a, double* entries) const {
  parts_[at(vector)].entries->run(a, entries);
  return Eval::ok;
}

Eval FormulaFunction::by_time(const Arguments<double>& a, double* column) const {
  by_time_->run(a, column);
  return Eval::ok;
}

}  // namespace daedalus
