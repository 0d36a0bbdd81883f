// SPDX-License-Identifier: BSD-3-Clause
// The form of a first-order model: y' = f(t, y, z), 0 = g(t, y, z) where the equations are written
// so, M y' = f(t, y) where derivatives enter linearly with coefficients of parameters,
// F(t, y, y') = 0 otherwise. M(t, y) comes on request only: the implicit form has its derivatives
// as formulas, sparse, while M(t, y) is a full matrix that is differentiated by dual numbers.
#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>

#include "graph/jacobian.hpp"
#include "graph/lower.hpp"
#include "graph/reach.hpp"
#include "graph/rewrite.hpp"
#include "kernel/at.hpp"
#include "model/compiled.hpp"
#include "model/separate.hpp"

namespace daedalus {
namespace {

using graph::InputKind;
using graph::MapArgument;

// The kernel with y' = 0 and the other sign, if asked for.
std::shared_ptr<const graph::Kernel> without_rates(const graph::Map& map, bool negate) {
  auto still = std::make_shared<graph::Kernel>();
  const graph::Graph& g = map.kernel->graph();
  graph::copy_kernel(*map.kernel, *still, [&](int node, std::span<const Expr>, Expr& result) {
    if (g.node(node).op != graph::Op::input) return false;
    const MapArgument& a = map.arguments[at(g.number(node))];
    if (a.source != MapArgument::Source::input || a.kind != InputKind::derivative) return false;
    result = 0.0;
    return true;
  });
  if (negate) return negated(*still);
  return still;
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

void reorder(std::vector<FlatRow>& rows, const std::vector<int>& place) {
  std::vector<FlatRow> sorted(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) sorted[at(place[r])] = std::move(rows[r]);
  rows = std::move(sorted);
}

bool is_identity(const graph::Jacobian& j) {
  if (j.inner.size() != at(j.columns) || j.rows != j.columns || !all_ones(j)) return false;
  for (int c = 0; c < j.columns; ++c)
    if (j.outer[at(c) + 1] - j.outer[at(c)] != 1 || j.inner[at(j.outer[at(c)])] != c) return false;
  return true;
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

namespace {

// Rows from `first` on, up to `last`.
graph::Outputs part_of(const graph::Outputs& all, int first, int last) {
  graph::Outputs part;
  part.count = last - first;
  const auto inside = [&](int row) { return row >= first && row < last; };
  for (const auto& s : all.single)
    if (inside(s.row)) part.single.push_back({s.row - first, s.value});
  for (const graph::Map& m : all.maps) {
    if (m.rows.empty() || m.rows[0].empty() || !inside(m.rows[0][0])) continue;
    part.maps.push_back(m);
    for (auto& rows : part.maps.back().rows)
      for (int& r : rows) r -= first;
  }
  return part;
}

// How derivatives enter, which decides between the forms.
struct Rates {
  graph::Jacobian by;
  bool linear = false;    // with coefficients of t, y and parameters
  bool constant = false;  // with coefficients of parameters
};

Rates rates_of(const FlatModel& flat, const graph::Outputs& residuals) {
  graph::Graph& g = *flat.graph;
  const int n = static_cast<int>(flat.variables.size()) - flat.algebraic_count;
  Rates r{graph::jacobian(g, graph::lower(g, residuals), InputKind::derivative, n)};
  const std::uint32_t kinds = kinds_of(g, r.by.entries);
  const bool rates_at_start =
      (kinds_of(g, flat.initial) & graph::kind_bit(InputKind::derivative)) != 0;
  // Initial equations with derivatives need a form that has them.
  r.linear = (kinds & graph::kind_bit(InputKind::derivative)) == 0 && !rates_at_start;
  r.constant = r.linear && (kinds & ~graph::kind_bit(InputKind::parameter)) == 0;
  return r;
}

void check_form(const std::string& form, const Rates& rates) {
  if (form != "auto" && form != "implicit" && form != "mass-matrix" && form != "semi-explicit")
    throw InvalidArgument("ModelOptions::form: '" + form +
                          "'; allowed: auto, implicit, mass-matrix, semi-explicit");
  if (form == "mass-matrix" && !rates.linear)
    throw InvalidArgument(
        "ModelOptions::form: 'mass-matrix' needs derivatives that enter linearly");
}

void compile_implicit(const FlatModel& flat, const graph::Outputs& residuals, Model::Data& data) {
  const int n = static_cast<int>(flat.variables.size());
  data.form = "implicit";
  data.first_order.residual = std::make_shared<const FormulaFunction>(
      flat.graph, residuals, data.settings,
      FormulaFunction::Wanted{{slot::State::y, slot::State::yp}, {n, n}, true});
}

void compile_mass_matrix(const FlatModel& flat, const graph::Outputs& residuals, const Rates& rates,
                         Model::Data& data) {
  graph::Graph& g = *flat.graph;
  FirstOrderParts& parts = data.first_order;
  const int n = static_cast<int>(flat.variables.size());
  data.form = "mass-matrix";
  const graph::Outputs f = right_hand_side(g, residuals, rows_of(rates.by));
  parts.rhs = std::make_shared<const FormulaFunction>(
      flat.graph, f, data.settings, FormulaFunction::Wanted{{slot::State::y}, {n}, true});
  const graph::Outputs entries = graph::lower(g, rates.by.entries);
  if (!rates.constant) {
    compile_implicit(flat, residuals, data);
    data.form = "mass-matrix";
    // The callable writes all of M, column by column.
    graph::Outputs full = entries;
    std::vector<int> place;
    for (int c = 0; c < n; ++c)
      for (int k = rates.by.outer[at(c)]; k < rates.by.outer[at(c) + 1]; ++k)
        place.push_back(rates.by.inner[at(k)] + c * n);
    permute(full, place);
    full.count = n * n;
    parts.changing_mass = std::make_shared<const FormulaFunction>(flat.graph, full, data.settings,
                                                                  FormulaFunction::Wanted{});
    return;
  }
  parts.mass = {{rates.by.rows, rates.by.columns, rates.by.outer, rates.by.inner},
                std::make_unique<Formulas>(g, entries, data.settings),
                flat.mode_count() + flat.previous_count()};
  parts.unit_mass = is_identity(rates.by);
  judge_mass(data);
}

// y' = f(t, y, z), 0 = g(t, y, z). Rows are sorted already.
void compile_semi_explicit(const FlatModel& flat, const graph::Outputs& residuals,
                           const Rates& rates, Model::Data& data) {
  const int n = static_cast<int>(flat.variables.size());
  const int nz = flat.algebraic_count, ny = n - nz;
  data.form = "semi-explicit";
  data.algebraic_count = nz;
  const graph::Outputs both = right_hand_side(*flat.graph, residuals, rows_of(rates.by));
  const FormulaFunction::Wanted wanted{{slot::State::y, slot::State::z}, {ny, nz}, true};
  FirstOrderParts& parts = data.first_order;
  parts.f = std::make_shared<const FormulaFunction>(flat.graph, part_of(both, 0, ny), data.settings,
                                                    wanted);
  parts.g = std::make_shared<const FormulaFunction>(flat.graph, part_of(both, ny, n), data.settings,
                                                    wanted);
}

}  // namespace

void compile_first_order(FlatModel& flat, const ModelOptions& options, Model::Data& data) {
  graph::Outputs residuals = flat.residuals;
  std::vector<FlatRow> rows = std::move(flat.rows);
  Rates rates = rates_of(flat, residuals);
  check_form(options.form, rates);
  const bool separate = flat.algebraic_count > 0;
  const bool with_mass = !separate && options.form != "implicit" &&
                         (rates.constant || (rates.linear && options.form == "mass-matrix"));
  if (separate || with_mass)
    if (const std::vector<int> place = diagonal_places(rates.by); !place.empty()) {
      permute(residuals, place);
      reorder(rows, place);
      rates = rates_of(flat, residuals);
    }
  if (separate) {
    compile_semi_explicit(flat, residuals, rates, data);
  } else if (with_mass) {
    compile_mass_matrix(flat, residuals, rates, data);
  } else {
    compile_implicit(flat, residuals, data);
  }
  data.equations.reserve(rows.size());
  data.equation_texts.reserve(rows.size());
  for (FlatRow& r : rows) {
    data.equations.push_back(std::move(r.name));
    data.equation_texts.push_back(std::move(r.text));
  }
}

}  // namespace daedalus
