// SPDX-License-Identifier: BSD-3-Clause
// The form of a first-order model: M y' = f(t, y) where derivatives enter linearly with
// coefficients of parameters, F(t, y, y') = 0 otherwise.
#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>

#include "graph/jacobian.hpp"
#include "graph/lower.hpp"
#include "graph/reach.hpp"
#include "graph/rewrite.hpp"
#include "kernel/at.hpp"
#include "model/compiled.hpp"

namespace daedalus {
namespace {

using graph::InputKind;
using graph::MapArgument;

// The kernel with y' = 0 and the other sign, if asked for.
std::shared_ptr<const graph::Kernel> without_rates(const graph::Map& map, bool negate) {
  graph::Kernel still;
  const graph::Graph& g = map.kernel->graph();
  graph::copy_kernel(*map.kernel, still, [&](int node, std::span<const Expr>, Expr& result) {
    if (g.node(node).op != graph::Op::input) return false;
    const MapArgument& a = map.arguments[at(g.number(node))];
    if (a.source != MapArgument::Source::input || a.kind != InputKind::derivative) return false;
    result = 0.0;
    return true;
  });
  auto signed_kernel = std::make_shared<graph::Kernel>();
  for (int k = 0; k < still.argument_count(); ++k) signed_kernel->argument(k);
  graph::Rewriter copy(still.graph(), signed_kernel->graph());
  for (const Expr& e : still.results()) {
    const Expr value = copy(e);
    signed_kernel->add_result(negate ? -value : value);
  }
  return signed_kernel;
}

// f of M y' = f: -F(t, y, 0). Rows without derivatives keep their sign.
graph::Outputs right_hand_side(graph::Graph& g, const graph::Outputs& residuals,
                               const std::vector<char>& has_rates) {
  graph::Rewriter still(g, g, [&g](int node, std::span<const Expr>, Expr& result) {
    if (g.node(node).op != graph::Op::input || g.kind(node) != InputKind::derivative) return false;
    result = 0.0;
    return true;
  });
  graph::Outputs f;
  f.count = residuals.count;
  for (const auto& s : residuals.single) {
    const Expr value = still(s.value);
    f.single.push_back({s.row, has_rates[at(s.row)] ? -value : value});
  }
  for (const graph::Map& m : residuals.maps) {
    graph::Map copy = m;
    // One sign for all results: rows of a map that mixes both kinds are all negated.
    bool negate = false;
    for (const auto& rows : m.rows)
      for (const int r : rows) negate = negate || has_rates[at(r)];
    copy.kernel = without_rates(m, negate);
    for (MapArgument& a : copy.arguments) {
      a.scalar = still(a.scalar);
      if (a.source == MapArgument::Source::input && a.kind == InputKind::derivative)
        a = MapArgument::of_scalar(0.0);
    }
    f.maps.push_back(std::move(copy));
  }
  return f;
}

std::vector<char> rows_of(const graph::Jacobian& j) {
  std::vector<char> rows(at(j.rows), 0);
  for (const int r : j.inner) rows[at(r)] = 1;
  return rows;
}

// Row r of the result is row order[r] of the given ones.
void permute(graph::Outputs& outputs, const std::vector<int>& place) {
  for (auto& s : outputs.single) s.row = place[at(s.row)];
  for (graph::Map& m : outputs.maps)
    for (auto& rows : m.rows)
      for (int& r : rows) r = place[at(r)];
}

// Where the derivative of a variable stands alone in one row, that row gets the number of the
// variable, so that M is diagonal and often the identity. Empty: M is not of this kind.
std::vector<int> diagonal_places(const graph::Jacobian& j) {
  std::vector<int> entries(at(j.rows), 0), place(at(j.rows), -1);
  for (const int r : j.inner) ++entries[at(r)];
  std::vector<char> taken(at(j.rows), 0);
  for (int c = 0; c < j.columns; ++c) {
    const int first = j.outer[at(c)], count = j.outer[at(c) + 1] - first;
    if (count == 0) continue;
    if (count > 1 || entries[at(j.inner[at(first)])] != 1) return {};
    place[at(j.inner[at(first)])] = c;
    taken[at(c)] = 1;
  }
  int next = 0;
  for (int& p : place) {
    if (p >= 0) continue;
    while (taken[at(next)]) ++next;
    p = next++;
  }
  return place;
}

void reorder(std::vector<FlatRow>& rows, const std::vector<int>& place) {
  std::vector<FlatRow> sorted(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) sorted[at(place[r])] = std::move(rows[r]);
  rows = std::move(sorted);
}

bool is_identity(const graph::Jacobian& j) {
  if (j.inner.size() != at(j.columns) || j.rows != j.columns || !j.entries.maps.empty())
    return false;
  for (int c = 0; c < j.columns; ++c)
    if (j.outer[at(c) + 1] - j.outer[at(c)] != 1 || j.inner[at(j.outer[at(c)])] != c) return false;
  return std::all_of(j.entries.single.begin(), j.entries.single.end(),
                     [](const auto& s) { return s.value.is_number(1.0); });
}

// Rank decisions of larger matrices are left to the run.
constexpr int max_dense_rank = 500;

// M may be singular although its structure is not (a capacitor between two nodes).
void judge_mass(Model::Data& data) {
  StructureReport& r = data.structure;
  const int n = static_cast<int>(data.names.size());
  if (r.index > 0 || data.first_order.unit_mass || n > max_dense_rank) return;
  std::vector<double> p;
  for (const Parameter& parameter : data.parameters) p.push_back(parameter.value);
  const Eigen::MatrixXd M = data.first_order.mass.at(p);
  const auto rank = static_cast<int>(M.colPivHouseholderQr().rank());
  if (rank == n) return;
  r.index = 1;
  r.degrees_of_freedom = rank;
  r.text = fmt::format(
      "{} equations for {} variables; the mass matrix has rank {}, which its structure does not "
      "show: index 1 or higher.",
      r.equations, r.variables, rank);
}

}  // namespace

std::uint32_t kinds_of(const graph::Graph& g, const graph::Outputs& outputs) {
  const std::vector<graph::KindSet> depends = graph::dependence(g);
  const auto of = [&](const Expr& e) {
    return e.is_number() ? graph::KindSet{0} : depends[at(e.node())];
  };
  graph::KindSet all = 0;
  for (const auto& s : outputs.single) all |= of(s.value);
  for (const graph::Map& m : outputs.maps) {
    std::vector<int> roots;
    for (const Expr& e : m.kernel->results())
      if (!e.is_number()) roots.push_back(e.node());
    const graph::Graph& inside = m.kernel->graph();
    for (const int node : graph::reached(inside, roots)) {
      if (inside.node(node).op != graph::Op::input) continue;
      const MapArgument& a = m.arguments[at(inside.number(node))];
      if (a.source == MapArgument::Source::input) all |= graph::kind_bit(a.kind);
      if (a.source == MapArgument::Source::scalar) all |= of(a.scalar);
    }
  }
  return all;
}

void compile_first_order(const FlatModel& flat, const ModelOptions& options, Model::Data& data) {
  graph::Graph& g = *flat.graph;
  const int n = static_cast<int>(flat.variables.size());
  graph::Outputs residuals = flat.residuals;
  std::vector<FlatRow> rows = flat.rows;
  graph::Jacobian rates = graph::jacobian(g, graph::lower(g, residuals), InputKind::derivative, n);
  // Initial equations with derivatives need a form that has them.
  const bool constant =
      (kinds_of(g, rates.entries) & ~graph::kind_bit(InputKind::parameter)) == 0 &&
      (kinds_of(g, flat.initial) & graph::kind_bit(InputKind::derivative)) == 0;
  if (options.form != "auto" && options.form != "implicit" && options.form != "mass-matrix")
    throw InvalidArgument("ModelOptions::form: '" + options.form +
                          "'; allowed: auto, implicit, mass-matrix");
  if (options.form == "mass-matrix" && !constant)
    throw InvalidArgument(
        "ModelOptions::form: 'mass-matrix' needs derivatives that enter linearly with coefficients "
        "of parameters");
  const std::vector<int> vectors_of_y{slot::State::y};
  if (constant && options.form != "implicit") {
    data.form = "mass-matrix";
    if (const std::vector<int> place = diagonal_places(rates); !place.empty()) {
      permute(residuals, place);
      reorder(rows, place);
      rates = graph::jacobian(g, graph::lower(g, residuals), InputKind::derivative, n);
    }
    const graph::Outputs f = right_hand_side(g, residuals, rows_of(rates));
    data.first_order.rhs = std::make_shared<const FormulaFunction>(
        flat.graph, f, data.settings, FormulaFunction::Wanted{vectors_of_y, {n}, true});
    data.first_order.unit_mass = is_identity(rates);
    data.first_order.mass = {
        {rates.rows, rates.columns, rates.outer, rates.inner},
        std::make_unique<Formulas>(g, graph::lower(g, rates.entries), data.settings),
        flat.mode_count() + flat.previous_count()};
    judge_mass(data);
  } else {
    data.form = "implicit";
    data.first_order.residual = std::make_shared<const FormulaFunction>(
        flat.graph, residuals, data.settings,
        FormulaFunction::Wanted{{slot::State::y, slot::State::yp}, {n, n}, true});
  }
  for (const FlatRow& r : rows) {
    data.equations.push_back(r.name);
    data.equation_texts.push_back(r.text);
  }
}

}  // namespace daedalus
