// SPDX-License-Identifier: BSD-3-Clause
// Structural analysis of the system that a problem becomes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <daedalus/analysis.hpp>

#include "analysis/structure_signature.hpp"
#include "analysis/structure_start.hpp"
#include "kernel/at.hpp"
#include "linalg/matrix_chain.hpp"

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Derivatives at points without special values: an entry counts if it differs from zero at one.
constexpr int generic_points = 3;
// Rounding errors of terms that cancel, in parts of the largest entry of the row.
constexpr double cancelled = 1e-15;
// Derivatives by differences cannot tell less from zero.
constexpr double cancelled_differences = 1e-9;

struct Entries {
  std::vector<std::map<int, int>> order;  // per equation: variable -> sigma
};

State generic_state(const AnalysedSystem& a, int number, double size) {
  const int n = a.size();
  VectorXd magnitude(n), move(n);
  a.system->layout.magnitude(a.state.x.data(), magnitude.data());
  const double most = n > 0 ? magnitude.maxCoeff() : 0.0;
  State s = a.state;
  for (int i = 0; i < n; ++i) {
    const double own = magnitude[i] > 0.0 ? magnitude[i] : std::min(1.0, most > 0.0 ? most : 1.0);
    // Directions without symmetry, the same in every run.
    move[i] = size * own * (0.5 + 0.5 * std::abs(std::sin(1.7 * (i + 1) * (number + 1) + 0.3)));
    if (std::cos(2.3 * (i + 1) + number) < 0.0) move[i] = -move[i];
    s.xd[i] += (std::abs(s.xd[i]) + own) * size * std::sin(2.9 * (i + 1) + 0.7 * number + 0.2);
  }
  a.system->layout.plus(a.state.x.data(), move.data(), s.x.data());
  return s;
}

void add_entries(const SparsePattern& pattern, std::span<const double> values, int order,
                 double threshold, const VectorXd& largest, Entries& found) {
  for (int j = 0; j < pattern.cols; ++j)
    for (int e = pattern.start[at(j)]; e < pattern.start[at(j) + 1]; ++e) {
      const int i = pattern.row[at(e)];
      if (std::abs(values[at(e)]) <= threshold * largest[i]) continue;
      const auto [entry, fresh] = found.order[at(i)].try_emplace(j, order);
      if (!fresh) entry->second = std::max(entry->second, order);
    }
}

VectorXd max_in_rows(const Pencil& pencil, int rows, bool e) {
  VectorXd largest = VectorXd::Zero(rows);
  const SparsePattern& p = e ? pencil.pattern_e() : pencil.pattern_j();
  const std::span<const double> values = e ? pencil.e() : pencil.j();
  for (std::size_t k = 0; k < p.row.size(); ++k)
    largest[p.row[k]] = std::max(largest[p.row[k]], std::abs(values[k]));
  return largest;
}

bool differentiable(const Problem& problem) {
  const auto good = [](const auto&... f) { return ((!f || f.differentiable()) && ...); };
  if (const auto* i = std::get_if<ImplicitProblem>(&problem)) return good(i->residual, i->leading);
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem)) return good(m->rhs, m->mass);
  if (const auto* e = std::get_if<SemiExplicitProblem>(&problem)) return good(e->f, e->g);
  const auto& b = std::get<MultibodyProblem>(problem);
  return good(b.mass, b.force, b.constraint, b.dynamics, b.contact, b.kinematics);
}

bool find_entries(AnalysedSystem& a, Entries& found, State& generic) {
  const int rows = static_cast<int>(a.system->equations.size());
  found.order.assign(at(rows), {});
  const double threshold = differentiable(*a.problem) ? cancelled : cancelled_differences;
  int good = 0;
  for (int k = 0; k < generic_points; ++k) {
    // A displacement may leave the domain of a callable; a smaller one need not.
    double size = 0.1;
    for (int attempt = 0; attempt < 6; ++attempt, size *= 0.1) {
      const State s = generic_state(a, k, size);
      VectorXd dd = VectorXd::Zero(std::max(a.size(), a.view().differentiated_count()));
      dd.head(s.xd.size()) = s.xd;
      if (a.view().linearise(s.t, s.x.data(), dd.data()) != Outcome::ok) continue;
      const Pencil& pencil = a.view().residual_pencil();
      add_entries(pencil.pattern_j(), pencil.j(), 0, threshold, max_in_rows(pencil, rows, false),
                  found);
      add_entries(pencil.pattern_e(), pencil.e(), 1, threshold, max_in_rows(pencil, rows, true),
                  found);
      generic = s;
      ++good;
      break;
    }
  }
  return good > 0;
}

// dF_i/dx_j^(sigma_ij) where d_j - c_i = sigma_ij.
MatrixXd system_jacobian(const StructuralAnalysis& r, const MatrixXd& E, const MatrixXd& J) {
  const auto n = static_cast<Eigen::Index>(r.variables.size());
  MatrixXd S = MatrixXd::Zero(n, n);
  for (const StructuralAnalysis::Entry& e : r.signature)
    if (r.variable_offsets[at(e.variable)] - r.equation_offsets[at(e.equation)] == e.order)
      S(e.equation, e.variable) =
          e.order == 1 ? E(e.equation, e.variable) : J(e.equation, e.variable);
  return S;
}

std::string quoted(const std::vector<std::string>& names, const std::vector<int>& which) {
  constexpr std::size_t shown = 12;  // names; a line of a message has room for no more
  std::vector<std::string> list;
  for (std::size_t k = 0; k < std::min(shown, which.size()); ++k)
    list.push_back("'" + names[at(which[k])] + "'");
  std::string text = fmt::format("{}", fmt::join(list, ", "));
  if (which.size() > shown) text += fmt::format(" and {} more", which.size() - shown);
  return text;
}

void explain_singularity(StructuralAnalysis& r) {
  if (!r.overdetermined.equations.empty()) {
    const auto& part = r.overdetermined;
    r.warnings.push_back(
        part.variables.empty()
            ? fmt::format("No variable occurs in {}.", quoted(r.equations, part.equations))
            : fmt::format("The {} equations {} contain only the {} variables {}: they are "
                          "redundant or contradict each other.",
                          part.equations.size(), quoted(r.equations, part.equations),
                          part.variables.size(), quoted(r.variables, part.variables)));
  }
  if (!r.underdetermined.variables.empty()) {
    const auto& part = r.underdetermined;
    r.warnings.push_back(
        part.equations.empty()
            ? fmt::format("{} occurs in no equation.", quoted(r.variables, part.variables))
            : fmt::format("The {} variables {} occur only in the {} equations {}: not all of them "
                          "are determined.",
                          part.variables.size(), quoted(r.variables, part.variables),
                          part.equations.size(), quoted(r.equations, part.equations)));
  }
}

void judge_jacobian(StructuralAnalysis& r, AnalysedSystem& a, const State& generic, bool exact) {
  ChainSettings settings;
  if (!exact) settings.tolerance = 1e-6;
  MatrixXd E, J;
  if (a.linearise(generic, E, J))
    r.regular_nearby = kernels_of(system_jacobian(r, E, J), settings).decision.full();
  if (!a.linearise(a.state, E, J)) {
    r.warnings.push_back("The system Jacobian could not be evaluated at the start values.");
    return;
  }
  r.jacobian = system_jacobian(r, E, J);
  const Kernels k = kernels_of(r.jacobian, settings);
  r.regular = k.decision.full();
  r.gap = r.regular ? k.decision.kept / settings.tolerance : k.decision.gap();
  if (r.regular) return;
  // What takes part in the dependence: the largest entries of the kernels.
  std::vector<int> rows, columns;
  const auto take_part = [](const MatrixXd& kernel, std::vector<int>& which) {
    const VectorXd size = kernel.rowwise().lpNorm<Eigen::Infinity>();
    for (int i = 0; i < size.size(); ++i)
      if (size[i] > 1e-6 * size.maxCoeff()) which.push_back(i);
  };
  take_part(k.left, rows);
  take_part(k.right, columns);
  r.warnings.push_back(fmt::format(
      "The system Jacobian is singular {}: equations {} depend on each other for the highest "
      "derivatives of {}, which their structure does not show. The structural index is not to be "
      "trusted.",
      r.regular_nearby ? "at the start values, though not near them" : "at the start and near it",
      quoted(r.equations, rows), quoted(r.variables, columns)));
}

std::string order_text(const std::string& name, int order) {
  if (order == 0) return name;
  return order <= 3 ? name + std::string(at(order), '\'') : fmt::format("{}^({})", name, order);
}

}  // namespace

int StructuralAnalysis::sigma(int equation, int variable) const {
  for (const Entry& e : signature)
    if (e.equation == equation && e.variable == variable) return e.order;
  return -1;
}

std::string StructuralAnalysis::text() const {
  std::string out;
  if (singular) {
    out = "structurally singular\n";
  } else if (equation_offsets.size() != equations.size()) {
    out = "structure not found\n";  // an evaluation failed; the warnings say which
  } else {
    out = fmt::format("structural index {}, {} degrees of freedom\n", index, degrees_of_freedom);
    std::map<int, std::vector<int>> differentiated;
    for (int i = 0; i < static_cast<int>(equations.size()); ++i)
      if (equation_offsets[at(i)] > 0) differentiated[equation_offsets[at(i)]].push_back(i);
    for (const auto& [times, which] : differentiated)
      out += fmt::format("differentiated {}: {}\n",
                         times == 1   ? "once"
                         : times == 2 ? "twice"
                                      : fmt::format("{} times", times),
                         quoted(equations, which));
    for (std::size_t b = 0; b < blocks.size() && b < 30; ++b) {
      std::vector<std::string> unknowns;
      for (const int j : blocks[b].variables)
        unknowns.push_back(order_text(variables[at(j)], variable_offsets[at(j)]));
      out += fmt::format("block {}: {} from {}\n", b + 1, fmt::join(unknowns, ", "),
                         quoted(equations, blocks[b].equations));
    }
    if (blocks.size() > 30) out += fmt::format("({} more blocks)\n", blocks.size() - 30);
  }
  for (const std::string& w : warnings) out += w + "\n";
  return out;
}

StructuralAnalysis structural_analysis(const Problem& problem, double t0, const Options& options) {
  const std::string formulation =
      options.formulation == "auto" || !std::holds_alternative<MultibodyProblem>(problem)
          ? natural_formulation(problem)
          : options.formulation;
  AnalysedSystem a = analysed_at_start(problem, formulation, t0, options);
  StructuralAnalysis r;
  r.formulation = formulation;
  r.equations = a.system->equations;
  r.variables = a.system->layout.names();
  const int n = static_cast<int>(r.variables.size());
  Entries found;
  State generic;
  if (!find_entries(a, found, generic)) {
    r.warnings.push_back(
        fmt::format("The derivatives could not be evaluated near the start values: {} failed.",
                    a.system->failure.function ? a.system->failure.function : "a callable"));
    return r;
  }
  Signature signature(found.order.size());
  for (std::size_t i = 0; i < found.order.size(); ++i)
    for (const auto& [j, order] : found.order[i]) {
      signature[i].push_back({j, order});
      r.signature.push_back({static_cast<int>(i), j, order});
    }
  const Transversal transversal = max_transversal(signature, n);
  r.transversal = transversal.variable_of;
  r.singular = !transversal.complete;
  if (r.singular) {
    r.overdetermined = overdetermined_part(signature, transversal);
    r.underdetermined = underdetermined_part(signature, n, transversal);
    explain_singularity(r);
    return r;
  }
  Offsets offsets = min_offsets(signature, n, transversal);
  r.blocks = triangular_blocks(signature, transversal, offsets);
  r.equation_offsets = std::move(offsets.c);
  r.variable_offsets = std::move(offsets.d);
  int most = 0, freedom = 0;
  bool algebraic = false;
  for (const int c : r.equation_offsets) {
    most = std::max(most, c);
    freedom -= c;
  }
  for (const int d : r.variable_offsets) {
    algebraic = algebraic || d == 0;
    freedom += d;
  }
  r.index = most + (algebraic ? 1 : 0);
  r.degrees_of_freedom = freedom;
  if (!a.consistent)
    r.warnings.push_back("The system Jacobian is taken at inconsistent start values. " + a.message);
  constexpr int max_dense = 500;  // singular values cost n^3
  if (n <= max_dense) judge_jacobian(r, a, generic, differentiable(problem));
  return r;
}

IndexComparison compare_index(const StructuralAnalysis& structure, int numerical_index) {
  IndexComparison c{structure.index, numerical_index, false, ""};
  if (structure.singular)
    c.text = "The equations are structurally singular: there is no index.";
  else if (structure.index < 0)
    c.text = "There is no structural index to compare with.";
  else if (numerical_index < 0)
    c.text = fmt::format(
        "The structure demands index {}; there is no numerical index to compare "
        "with{}.",
        structure.index,
        structure.regular || structure.jacobian.size() == 0
            ? ""  // too large to be judged
            : ", and the system Jacobian is singular");
  else if (structure.index == numerical_index)
    c.text = structure.regular
                 ? fmt::format("Structural and numerical index agree: {}.", structure.index)
                 : fmt::format(
                       "Structural and numerical index are both {}, but by coincidence: the "
                       "system Jacobian is singular.",
                       structure.index);
  else if (structure.index < numerical_index)
    c.text = fmt::format(
        "The structural index {} is too small, the numerical one is {}: {}", structure.index,
        numerical_index,
        structure.regular
            ? "the system Jacobian is regular at the start values, so that one of the rank "
              "decisions is in doubt."
            : "the system Jacobian is singular, because terms cancel that the structure cannot "
              "tell apart.");
  else
    c.text = fmt::format(
        "The structural index {} exceeds the numerical one, {}: {}", structure.index,
        numerical_index,
        structure.regular ? "the structure demands more differentiations than the equations need."
                          : "the system Jacobian is singular, and the structure misleads.");
  c.agree = structure.index >= 0 && structure.index == numerical_index && structure.regular;
  return c;
}

}  // namespace daedalus
