// SPDX-License-Identifier: BSD-3-Clause
// What can be said about a problem at its start values before it is solved.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <daedalus/analysis.hpp>
#include <daedalus/solve.hpp>
#include <daedalus/testing/jacobian.hpp>

#include "analysis/branches.hpp"
#include "analysis/diagnosis.hpp"
#include "analysis/difference_check.hpp"
#include "analysis/index_names.hpp"
#include "analysis/index_point.hpp"
#include "analysis/tractability.hpp"
#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "linalg/decompositions.hpp"
#include "start/consistent.hpp"

namespace daedalus {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double bad_range = 1e-6;  // of start values

struct Pencils {
  Eigen::MatrixXd E, J;  // E x' = J x + ... near the start
};

// Index 0, 1 or 2 by the tractability chain at the start values; above it stays open.
void chain_index(System& system, const State& state, const Eigen::VectorXd& rates, bool exact,
                 Check& result) {
  TrajectoryPoint point{state.t, state.x, state.xd, {}};
  if (system.residual_view()->states_leading_term()) {
    point.dd = rates.head(system.residual_view()->differentiated_count());
    point.xd.resize(0);
  }
  TractabilitySettings settings;
  if (!exact) settings.chain.tolerance = 1e-6;  // what differences can tell from zero
  const Tractability found = analyse_tractability(system, {&point, 1}, settings);
  result.gap = found.min_gap;
  for (const std::string& warning : found.warnings) result.warnings.push_back(warning);
  if (found.index < 0 || found.index > 2) return;
  result.numerical_index = found.index;
  result.degrees_of_freedom = found.chain.degrees_of_freedom;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> list;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    if (to > from) list.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return list;
}

// Index, degrees of freedom and their reasons by the derivative array; false: it is not at hand.
bool array_index(const Problem& problem, double t0, Check& result) {
  const IndexAnalysis found = index_analysis(problem, t0);
  if (found.index < 0 && found.constraints.empty()) {
    for (const std::string& warning : found.warnings) result.why.push_back(warning);
    return false;
  }
  result.numerical_index = found.index;
  result.degrees_of_freedom = found.degrees_of_freedom;
  result.gap = found.gap;
  result.redundant = found.redundant;
  for (const std::string& warning : found.warnings) result.warnings.push_back(warning);
  IndexAnalysis plain = found;
  plain.warnings.clear();
  plain.redundant.clear();
  const std::vector<std::string> all = lines(plain.text());
  result.why.insert(result.why.end(), all.begin() + 1, all.end());
  return true;
}

// Structure, and whether both agree.
void compare_structure(const Problem& problem, double t0, Check& result) {
  const StructuralAnalysis structure = structural_analysis(problem, t0);
  result.structural_index = structure.index;
  if (structure.singular)
    for (const std::string& warning : structure.warnings) result.redundant.push_back(warning);
  if (structure.index < 0 && !structure.singular) return;
  const IndexComparison both = compare_index(structure, result.numerical_index);
  result.why.push_back(both.text);
}

// Eigenvalues and singular values cost n^3, and the matrices n^2 numbers.
constexpr int max_full = 200;

double stiffness_of(const Pencils& p) {
  const int n = static_cast<int>(p.E.rows());
  const PencilEigenvalues eigenvalues = pencil_eigenvalues(p.J, p.E);
  double largest = 0.0, smallest = 1e300;
  const double scale = std::max(p.E.cwiseAbs().maxCoeff(), 1e-300);
  for (int i = 0; i < n; ++i) {
    if (std::abs(eigenvalues.beta[i]) < 1e-12 * scale) continue;  // infinite: algebraic part
    const double size = std::abs(eigenvalues.alpha[i] / eigenvalues.beta[i]);
    if (!(size > 1e-12) || !std::isfinite(size)) continue;
    largest = std::max(largest, size);
    smallest = std::min(smallest, size);
  }
  return largest > 0.0 ? largest / smallest : nan_value;
}

// Start values and tolerances whose sizes do not fit.
void advise_scaling(const System& system, const State& state, const Options& options,
                    Check& result) {
  const auto& names = system.variables->names;
  double largest = 0.0, smallest = std::numeric_limits<double>::max();
  int large = -1, small = -1;
  // Of multipliers and velocities that balance, rounding is left of a zero.
  constexpr double rounding = 1e-14;
  const bool mechanical = system.variables->range_of(VariableClass::v) != nullptr;
  const double nothing = mechanical ? rounding * state.x.cwiseAbs().maxCoeff() : 0.0;
  std::vector<std::string> drowned;
  for (int i = 0; i < static_cast<int>(names.size()) && i < state.x.size(); ++i) {
    const double size = std::abs(state.x[i]);
    if (size <= nothing) continue;
    if (size > largest) largest = size, large = i;
    if (size < smallest) smallest = size, small = i;
    const double atol = options.atol[std::min(i, system.variables->size() - 1)];
    if (size < atol && size < 1e-2)
      drowned.push_back("'" + names[static_cast<std::size_t>(i)] + "'");
  }
  if (large >= 0 && smallest < bad_range * largest)
    result.advice.push_back(fmt::format(
        "The start values range from {:.1e} ('{}') to {:.1e} ('{}'): give absolute tolerances per "
        "variable, or units in which they are of one size.",
        smallest, names[static_cast<std::size_t>(small)], largest,
        names[static_cast<std::size_t>(large)]));
  if (!drowned.empty())
    result.advice.push_back(fmt::format(
        "Below the absolute tolerance at the start, so that their digits are not controlled: {}.",
        short_list(drowned, 6)));
}

bool all_differentiable(const Problem& problem) {
  const auto good = [](const auto&... f) { return ((!f || f.differentiable()) && ...); };
  if (const auto* i = std::get_if<ImplicitProblem>(&problem))
    return good(i->residual, i->leading) || i->jacobian_y;
  if (const auto* m = std::get_if<MassMatrixProblem>(&problem)) return good(m->rhs) || m->jacobian;
  if (const auto* e = std::get_if<SemiExplicitProblem>(&problem)) return good(e->f, e->g) || e->f_y;
  const auto& b = std::get<MultibodyProblem>(problem);
  return good(b.mass, b.force, b.constraint);
}

// What can be told from zero.
double rank_tolerance(const Problem& problem) { return all_differentiable(problem) ? 1e-11 : 1e-6; }

// Measured: increments of 1.5e-8, 1e-6 and 1e-5, errors of 3e-7, 2e-5 and 2e-4 of the derivative of
// its exponentials, cost dae34ns 918, 2001 and 16149 steps on the transistor amplifier.
constexpr double harmful_error = 1e-5;
// Of the largest variable: a common increment then loses three of its eight digits.
constexpr double bad_scaling = 1e-3;

// The Jacobians this run would form by differences, against better ones.
void check_differences(std::shared_ptr<const Problem> problem, System& system, const State& state,
                       const Eigen::VectorXd& rates, const Options& options, Check& result) {
  const bool exact = all_differentiable(*problem);
  const bool asked =
      options.derivatives == DerivativeSource::differences || options.difference_increment > 0.0;
  const int n = system.layout.tangents();
  if ((exact && !asked) || n > max_full) return;
  LoweringOptions lowering;
  lowering.differences = asked;
  lowering.difference_increment = options.difference_increment;
  const std::unique_ptr<System> run = lower(problem, "", View::residual, lowering, state.t);
  run->prepare(state);
  Eigen::MatrixXd E, used, true_j;
  if (run->residual_view()->linearise(state.t, state.x.data(), rates.data()) != Outcome::ok) return;
  run->residual_view()->residual_pencil().dense_e(E);
  run->residual_view()->residual_pencil().dense_j(used);
  if (used.rows() != n) return;
  if (exact) system.residual_view()->residual_pencil().dense_j(true_j);
  Eigen::VectorXd atol(n);
  for (int i = 0; i < n; ++i)
    atol[i] = i < system.variables->size() ? options.atol[i] : options.atol.values().minCoeff();
  const DifferenceError e = difference_error(system, state, rates, E, used, true_j, atol);
  const auto equation = [&](int i) { return system.equations[static_cast<std::size_t>(i)]; };
  if (e.error > harmful_error) {
    const bool common = options.difference_increment > 0.0;
    result.warnings.push_back(fmt::format(
        "Jacobians come from differences, and the increment of '{0}' does not suit it: in equation "
        "'{1}' a change of {2:.1e} in '{0}' matters, and the quotient is off by {3:.1e} relative "
        "to that equation. Wrap generic callables in daedalus::autodiff or give the "
        "derivatives{4}.",
        system.layout.name(e.column), equation(e.row), e.size, e.error,
        common ? "; or leave difference_increment at 0, which chooses increments per variable"
               : fmt::format("; or give '{}' a start value or a unit of its own size",
                             system.layout.name(e.column))));
  } else if (e.uneven >= 0 && e.unevenness < bad_scaling) {
    result.warnings.push_back(fmt::format(
        "Jacobians come from differences, and '{0}' is badly scaled: in equation '{1}' changes of "
        "{2:.1e} matter, {3:.0e} of the largest variable. Increments chosen per variable agree to "
        "{4:.0e} here; a common difference_increment would not. Exact derivatives "
        "(daedalus::autodiff) are safe.",
        system.layout.name(e.uneven), equation(e.uneven_row), e.uneven_size, e.unevenness,
        std::max(e.error, 1e-16)));
  }
}

}  // namespace

Check check(const Problem& problem, double t0, const Options& options) {
  validate(problem, t0);
  Check result;
  result.stiffness = nan_value;
  const bool multibody = std::holds_alternative<MultibodyProblem>(problem);
  auto owned = std::make_shared<const Problem>(problem);
  const std::unique_ptr<System> system =
      lower(owned, multibody ? "index1" : "", View::residual, {}, t0);
  State state = model_start(*system, problem, t0);
  StartRequest request = initial_equations(owned, *system);
  request.strategy = StartStrategy::automatic;
  Eigen::VectorXd size(system->layout.tangents());
  system->layout.magnitude(state.x.data(), size.data());
  request.weight = (options.rtol * size).array() + options.atol.values().minCoeff();
  system->prepare(state);
  const StartReport report = make_consistent(*system, state, request);
  result.consistent = report.status == Status::success;
  for (const StartReport::Row& row : report.rows)
    result.residuals.push_back({row.equation, row.value});
  if (!result.consistent) result.warnings.push_back(report.message);

  ResidualView& view = *system->residual_view();
  const int rows = static_cast<int>(system->equations.size()), n = system->layout.tangents();
  Eigen::VectorXd dd = Eigen::VectorXd::Zero(std::max(n, view.differentiated_count()));
  dd.head(n) = state.xd;
  RankDecision determined;  // accelerations and multipliers
  if (rows == n && view.linearise(t0, state.x.data(), dd.data()) == Outcome::ok) {
    if (!multibody) check_differences(owned, *system, state, dd, options, result);
    advise_scaling(*system, state, options, result);
    if (n <= max_full) {
      Pencils pencil;
      view.residual_pencil().dense_e(pencil.E);
      view.residual_pencil().dense_j(pencil.J);
      pencil.J *= -1.0;
      result.stiffness = stiffness_of(pencil);
      if (multibody)
        determined = index1_decision(pencil.E, pencil.J, rank_tolerance(problem));
      else
        chain_index(*system, state, dd, all_differentiable(problem), result);
    }
  }
  if (!array_index(problem, t0, result) && multibody) {
    const auto& b = std::get<MultibodyProblem>(problem);
    // Constraints that are differentiated twice (once if nonholonomic) determine lambda, as long as
    // [M G^T; G 0] is regular; too large for a rank decision, elimination at the start has shown
    // it.
    const bool decided = determined.size > 0;
    if (decided ? determined.full() : result.consistent) {
      result.numerical_index = index_of(problem);
      if (decided) result.gap = determined.kept / rank_tolerance(problem);
      result.why.push_back(fmt::format(
          "Masses and constraints determine all accelerations{}: [M G^T; G 0] is regular.",
          b.multipliers() > 0 ? " and multipliers" : ""));
    }
    result.degrees_of_freedom = b.space.tangents() + b.velocities() - 2 * b.constraint_count -
                                b.nonholonomic_count + b.dynamic_count;
  }
  if (result.numerical_index >= 0 && result.numerical_index != index_of(problem) &&
      !(index_of(problem) <= 1 && result.numerical_index <= 1))
    result.warnings.push_back(
        fmt::format("The problem is declared to have index {}, but at the "
                    "start values it has index {}.",
                    index_of(problem), result.numerical_index));
  compare_structure(problem, t0, result);
  if (result.numerical_index < 0)
    if (const std::string text = diagnose_start(problem, t0, options); !text.empty())
      result.warnings.push_back(text.substr(1));
  const testing::JacobianReport jacobian = testing::check_jacobians(problem, t0);
  result.jacobian_error = jacobian.worst.function.empty() ? nan_value : jacobian.worst.error;
  if (!jacobian.worst.function.empty())
    result.worst_entry = fmt::format("d({})/d({}) in {}", jacobian.worst.row, jacobian.worst.column,
                                     jacobian.worst.function);
  if (!jacobian.ok) result.warnings.push_back(jacobian.text());
  warn_of_branches(owned, *system, state, result.warnings);
  if (!all_differentiable(problem))
    result.warnings.push_back(
        "Some callables are plain: their Jacobians come from finite differences. Wrap generic "
        "callables in daedalus::autodiff for exact ones.");
  return result;
}

}  // namespace daedalus
