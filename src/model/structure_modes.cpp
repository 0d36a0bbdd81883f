// SPDX-License-Identifier: BSD-3-Clause
// Equations that depend on a mode may have another structure in another mode: each is analysed by
// itself.
#include <fmt/format.h>

#include <algorithm>

#include "graph/reach.hpp"
#include "graph/rewrite.hpp"
#include "kernel/at.hpp"
#include "model/structure.hpp"

namespace daedalus {
namespace {

using graph::InputKind;

constexpr int max_combined = 5;      // modes whose combinations are all looked at
constexpr int max_alone = 40;        // modes that are looked at one by one
constexpr int max_equations = 2000;  // of models that are analysed again and again

// Modes that choose between formulas.
std::vector<int> choosing_modes(const graph::Graph& g, const graph::Outputs& residuals) {
  std::vector<int> roots, modes;
  for (const auto& s : residuals.single)
    if (!s.value.is_number()) roots.push_back(s.value.node());
  for (const int node : graph::reached(g, roots)) {
    if (g.node(node).op != graph::Op::select) continue;
    for (const int k : graph::reached(g, {g.operands(node)[0]}))
      if (g.node(k).op == graph::Op::input && g.kind(k) == InputKind::mode)
        modes.push_back(g.number(k));
  }
  std::sort(modes.begin(), modes.end());
  modes.erase(std::unique(modes.begin(), modes.end()), modes.end());
  return modes;
}

// The residuals with these modes held at values.
FlatModel held(const FlatModel& flat, const std::vector<int>& modes, unsigned bits) {
  FlatModel result;
  result.graph = flat.graph;
  result.variables = flat.variables;
  result.rows = flat.rows;
  result.residuals.count = flat.residuals.count;
  result.residuals.maps = flat.residuals.maps;
  graph::Rewriter fix(*flat.graph, *flat.graph);
  for (std::size_t k = 0; k < modes.size(); ++k)
    fix.replace(flat.graph->input_node(InputKind::mode, modes[k]), double(bits >> k & 1u));
  for (const auto& s : flat.residuals.single)
    result.residuals.single.push_back({s.row, fix(s.value)});
  return result;
}

std::string mode_text(const FlatModel& flat, const std::vector<int>& modes, unsigned bits) {
  std::string text;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const int node = flat.graph->input_node(InputKind::mode, modes[k]);
    const std::string_view name = flat.graph->name(node);
    text +=
        fmt::format("{}{}'{}'", text.empty() ? "" : " and ", bits >> k & 1u ? "" : "not ", name);
  }
  return text;
}

}  // namespace

void analyse_modes(const FlatModel& flat, const ModelBuilder::Data& built,
                   ModelStructure& structure) {
  if (flat.residuals.count > max_equations) return;
  std::vector<int> modes = choosing_modes(*flat.graph, flat.residuals);
  if (modes.empty() || modes.size() > at(max_alone)) return;
  const auto look = [&](const std::vector<int>& which, unsigned bits) {
    const ModelStructure s = analyse(held(flat, which, bits), built, false);
    const std::string where = mode_text(flat, which, bits);
    if (!s.diagnostics.empty()) {
      for (Diagnostic d : s.diagnostics) {
        d.severity = Diagnostic::Severity::warning;
        d.message = fmt::format("Where {}: {}", where, d.message);
        structure.diagnostics.push_back(std::move(d));
      }
      return;
    }
    if (s.report.index == structure.common_index) return;
    // The problem declares the highest index that it may meet.
    structure.report.index = std::max(structure.report.index, s.report.index);
    if (!s.variable_index.empty()) {
      structure.variable_index.resize(s.variable_index.size(), 1);
      for (std::size_t j = 0; j < s.variable_index.size(); ++j)
        structure.variable_index[j] = std::max(structure.variable_index[j], s.variable_index[j]);
    }
    structure.report.text += fmt::format(" Where {} the index is {}.", where, s.report.index);
    for (StructureReport::HiddenConstraint h : s.report.hidden) {
      h.mode = where;
      structure.report.hidden.push_back(std::move(h));
    }
  };
  if (modes.size() <= at(max_combined)) {
    for (unsigned bits = 0; bits < 1u << modes.size(); ++bits) look(modes, bits);
    return;
  }
  for (const int mode : modes)
    for (const unsigned bit : {0u, 1u}) look({mode}, bit);
}

}  // namespace daedalus
