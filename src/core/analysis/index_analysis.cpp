// SPDX-License-Identifier: BSD-3-Clause
// The differentiation index by the derivative array, with names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <daedalus/analysis.hpp>

#include "analysis/index_names.hpp"
#include "analysis/index_point.hpp"
#include "analysis/structure_start.hpp"
#include "formulation/lower.hpp"
#include "formulation/recorded_equations.hpp"
#include "linalg/decompositions.hpp"
#include "start/jet.hpp"

namespace daedalus {
namespace {

using Eigen::VectorXd;

std::size_t place(int i) { return static_cast<std::size_t>(i); }

// Gap between singular values kept and dropped; clear decisions have 1e8 and more.
constexpr double unclear_rank = 1e3;
// What series of exact derivatives leave where a rank is constant is round-off.
constexpr double constant_rank = 1e-7;
constexpr double nearby = 1e-3;

// A full matrix is as clear as its smallest singular value stands above the tolerance.
double clearness(const RankDecision& d, double tolerance) {
  return d.full() ? d.kept / tolerance : d.gap();
}

VectorXd model_values(const Problem& problem, int size) {
  VectorXd x = VectorXd::Zero(size);
  int offset = 0;
  const auto put = [&](const VectorXd& part, int count) {
    if (part.size() > 0) x.segment(offset, count) = part;
    offset += count;
  };
  std::visit(
      [&](const auto& p) {
        using P = std::decay_t<decltype(p)>;
        if constexpr (std::is_same_v<P, MultibodyProblem>) {
          put(p.q0, p.space.points()), put(p.v0, p.velocities()), put(p.c0, p.dynamic_count);
          put(p.s0, p.contact_count), put(p.lambda0, p.multipliers());
        } else {
          put(p.y0, static_cast<int>(p.y0.size()));
          if constexpr (std::is_same_v<P, SemiExplicitProblem>)
            put(p.z0, static_cast<int>(p.z0.size()));
        }
      },
      problem);
  return x;
}

// A change of a start value counts in parts of its size; multipliers and algebraic variables of the
// forms that tell them apart are guesses, and change first.
VectorXd weights_of(const Problem& problem, const VectorXd& x) {
  constexpr double guess = 1e4;  // so many times cheaper than a value that was meant
  VectorXd weight = x.cwiseAbs();
  const double most = x.size() > 0 ? weight.maxCoeff() : 0.0;
  for (double& w : weight)
    if (w == 0.0) w = most > 0.0 ? std::min(most, 1.0) : 1.0;
  if (const auto* e = std::get_if<SemiExplicitProblem>(&problem))
    weight.tail(e->z0.size()) *= guess;
  if (const auto* b = std::get_if<MultibodyProblem>(&problem)) {
    const int known = b->space.points() + b->velocities() + b->dynamic_count;
    weight.tail(x.size() - known) *= guess;
  }
  return weight;
}

VectorXd given_rates(const Problem& problem) {
  const auto* i = std::get_if<ImplicitProblem>(&problem);
  return i && i->leading_count == 0 ? i->yp0 : VectorXd();
}

void describe_constraints(const Jet& jet, const VectorXd& given, IndexAnalysis& a) {
  a.differentiated.assign(a.equations.size(), 0);
  for (const IndexReduction::Constraint& c : jet.reduction.constraints) {
    IndexAnalysis::Constraint d;
    d.differentiations = c.round;
    d.text = origin_text(c, a.equations);
    const VectorXd weight = c.gradient.cwiseAbs();
    for (int j = 0; j < weight.size(); ++j)
      if (weight[j] > 1e-10 * weight.maxCoeff()) d.variables.push_back(j);
    for (const OriginTerm& term : origin_terms(c)) {
      if (std::find(d.equations.begin(), d.equations.end(), term.equation) == d.equations.end())
        d.equations.push_back(term.equation);
      // The row is differentiated once more on the way to x'.
      int& times = a.differentiated[place(term.equation)];
      times = std::max(times, term.derivative + 1);
    }
    if (jet.converged) d.residual = c.gradient.dot(given - jet.x.col(0));
    a.constraints.push_back(std::move(d));
  }
  a.determined_after.assign(a.variables.size(), -1);
  for (std::size_t j = 0; j < a.variables.size(); ++j)
    for (std::size_t round = 0; round < jet.reduction.kernels.size(); ++round) {
      const Eigen::MatrixXd& kernel = jet.reduction.kernels[round];
      const double left =
          kernel.cols() > 0 ? kernel.row(static_cast<Eigen::Index>(j)).cwiseAbs().maxCoeff() : 0.0;
      if (left > 1e-8) continue;
      a.determined_after[j] = static_cast<int>(round);
      break;
    }
}

void describe_dependence(const IndexReduction& r, IndexAnalysis& a) {
  for (const VectorXd& combination : r.dependence) {
    double value = 0.0, size = 0.0;
    std::vector<std::string> parts;
    std::map<int, int> involved;  // equation -> derivatives
    for (std::size_t k = 0; k < r.constraints.size(); ++k) {
      const double share = combination[static_cast<Eigen::Index>(k)];
      if (std::abs(share) <= 1e-8 * combination.cwiseAbs().maxCoeff()) continue;
      value += share * r.constraints[k].value;
      size += std::abs(share) * r.constraints[k].size;
      for (const OriginTerm& term : origin_terms(r.constraints[k])) {
        int& most = involved.try_emplace(term.equation, term.derivative).first->second;
        most = std::max(most, term.derivative);
      }
    }
    for (const auto& [equation, derivative] : involved)
      parts.push_back(derivative_text(a.equations[place(equation)], derivative));
    const bool contradict = std::abs(value) > 1e-8 * size;
    a.redundant.push_back(fmt::format(
        "{} {}: together they {}.", fmt::join(parts, ", "),
        parts.size() == 1 ? "contains no variable that is still free" : "depend on each other",
        contradict
            ? fmt::format("demand 0 = {:.3g} and contradict each other at these values", value)
            : "say nothing new"));
  }
  // Variables whose rates stay free.
  std::vector<std::string> undetermined;
  const Eigen::MatrixXd& kernel = r.kernels.back();
  for (std::size_t j = 0; j < a.variables.size() && kernel.cols() > 0; ++j)
    if (kernel.row(static_cast<Eigen::Index>(j)).cwiseAbs().maxCoeff() > 1e-6)
      undetermined.push_back("'" + a.variables[j] + "'");
  if (!undetermined.empty())
    a.redundant.push_back(fmt::format("Not determined by the equations, or not all of them: {}.",
                                      fmt::join(undetermined, ", ")));
}

std::string failure_text(const Jet& jet, int rounds) {
  if (jet.outcome == Outcome::callback_rejected || jet.outcome == Outcome::callback_failed)
    return "A callable rejected the start values or failed there: no index.";
  if (jet.outcome == Outcome::not_finite)
    return "Derivatives of the equations are not finite at the start values: no index.";
  if (jet.reduction.singular)
    return "The equations are singular: some depend on each other, and some variables are not "
           "determined. There is no index.";
  return fmt::format("The index exceeds {}, or the equations are singular.", rounds);
}

// The same decisions near the start values.
bool same_nearby(EquationSeries& equations, double t, const Jet& here,
                 const JetSettings& settings) {
  VectorXd x = here.x.col(0);
  const double most = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
  for (int i = 0; i < x.size(); ++i)
    x[i] += nearby * std::max(std::abs(x[i]), 1e-2 * std::min(most, 1.0)) * std::sin(1.7 * (i + 1));
  const Jet there = solve_jet(equations, t, x, here.x.col(1), settings);
  if (!there.converged) return true;  // no point there: nothing can be said
  return there.reduction.index == here.reduction.index &&
         there.reduction.constraints.size() == here.reduction.constraints.size();
}

double sign_of_determinant(const Eigen::MatrixXd& A) {
  const PivotedLu lu(A);
  double sign = 1.0;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    if (lu.factors()(i, i) < 0.0) sign = -sign;
  Eigen::VectorXi p = lu.permutation();
  for (int i = 0; i < p.size(); ++i)
    for (; p[i] != i; sign = -sign) std::swap(p[i], p[p[i]]);
  return sign;
}

}  // namespace

RankDecision index1_decision(const Eigen::MatrixXd& E, const Eigen::MatrixXd& J, double tolerance) {
  ChainSettings settings;
  settings.tolerance = tolerance;
  const Eigen::MatrixXd W = kernels_of(E, settings).left;
  if (W.cols() == 0) return kernels_of(E, settings).decision;
  // Columns of W need not be orthonormal where rows were equilibrated.
  const PivotedQr qr = pivoted_qr(W);
  const Eigen::MatrixXd across = qr.q.leftCols(qr.rank);
  return kernels_of(E + across * (across.transpose() * J), settings).decision;
}

IndexAnalysis index_analysis(const Problem& problem, double t0, double tolerance, int max_size) {
  IndexTrace trace;
  return index_analysis_at(problem, t0, tolerance, max_size, trace);
}

IndexAnalysis index_analysis_at(const Problem& problem, double t0, double tolerance, int max_size,
                                IndexTrace& trace) {
  validate(problem, t0);
  IndexAnalysis a;
  auto owned = std::make_shared<const Problem>(problem);
  auto modes = std::make_shared<const std::vector<double>>(
      std::visit([](const auto& p) { return p.modes; }, problem));
  std::string plain;
  const std::unique_ptr<EquationSeries> equations = recorded_equations(owned, modes, &plain);
  if (!equations) {
    a.warnings.push_back(fmt::format(
        "Callable '{}' gives values only: derivatives of the equations with respect to time need "
        "generic callables (daedalus::autodiff).",
        plain));
    return a;
  }
  a.equations = equations->equations();
  a.variables = equations->variables();
  const int n = equations->size();
  if (n > max_size) {
    a.warnings.push_back(fmt::format(
        "With {} unknowns the derivative array is not formed (the limit is {}).", n, max_size));
    return a;
  }
  JetSettings settings;
  settings.rank.tolerance = tolerance;
  const VectorXd given = model_values(problem, n);
  settings.weight = weights_of(problem, given);
  const Jet jet = solve_jet(*equations, t0, given, given_rates(problem), settings);
  const IndexReduction& r = jet.reduction;
  if (r.ranks.empty() || r.index < 0) {
    a.warnings.push_back(failure_text(jet, settings.max_rounds));
    if (!r.constraints.empty()) describe_constraints(jet, given, a);
    if (r.singular) describe_dependence(r, a);
    return a;
  }
  a.index = r.index;
  trace.orientation = sign_of_determinant(r.A[0]);
  for (const IndexReduction::Constraint& c : r.constraints) trace.rows.emplace_back(c.round, c.row);
  a.degrees_of_freedom =
      n - static_cast<int>(r.constraints.size()) - equations->redundant_coordinates();
  a.gap = 1e16;
  for (const RankDecision& d : r.ranks) a.gap = std::min(a.gap, clearness(d, tolerance));
  describe_constraints(jet, given, a);
  if (jet.converged) {
    a.x = jet.x.col(0);
    a.rates = jet.x.col(1);
  } else {
    a.warnings.push_back(
        "No consistent values were found near the start values; the index is that of the given "
        "ones and may be wrong.");
  }
  if (a.gap < unclear_rank)
    a.warnings.push_back(fmt::format(
        "A rank decision behind the index is doubtful: its gap is only {:.2g}.", a.gap));
  if (r.remainder > constant_rank)
    a.warnings.push_back(
        "The rank of the leading matrix changes along the solution: the index is that of the start "
        "and may be another one later.");
  if (trace.look_nearby && jet.converged && !same_nearby(*equations, t0, jet, settings))
    a.warnings.push_back(
        "Near the start values the equations have another index or other degrees of freedom: the "
        "start is a special point.");
  return a;
}

std::string IndexAnalysis::text() const {
  std::string out = index >= 0 ? fmt::format("index {}, {} degree{} of freedom\n", index,
                                             degrees_of_freedom, degrees_of_freedom == 1 ? "" : "s")
                               : "index not found\n";
  std::map<int, std::vector<std::string>> times;
  for (std::size_t i = 0; i < differentiated.size(); ++i)
    if (differentiated[i] > 0) times[differentiated[i]].push_back("'" + equations[i] + "'");
  for (auto entry = times.rbegin(); entry != times.rend(); ++entry)
    out += fmt::format("differentiated {}: {}\n", times_text(entry->first),
                       short_list(entry->second, 8));
  std::map<int, std::vector<std::string>> after;
  for (std::size_t j = 0; j < determined_after.size(); ++j)
    after[determined_after[j]].push_back("'" + variables[j] + "'");
  for (const auto& [level, names] : after) {
    if (level == 0) continue;
    out += level < 0 ? fmt::format("not determined: {}\n", short_list(names, 8))
           : level == 1
               ? fmt::format("follow from the equations as they are: {}\n", short_list(names, 8))
               : fmt::format("follow from equations differentiated {}: {}\n", times_text(level - 1),
                             short_list(names, 8));
  }
  for (const Constraint& c : constraints)
    if (c.differentiations > 0) out += fmt::format("hidden constraint: {}\n", c.text);
  for (const std::string& r : redundant) out += r + "\n";
  for (const std::string& w : warnings) out += w + "\n";
  return out;
}

}  // namespace daedalus
