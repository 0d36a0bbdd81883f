// SPDX-License-Identifier: BSD-3-Clause
// Equations that depend on each other, a higher index than declared, and rank that is lost on the
// way. What a step of any implicit method solves with is R = E / tau + J: if it is singular for
// every tau, equations depend on each other; if it becomes singular during a run, the solution ends
// or turns back there (impasse point; Rabier, Rheinboldt 1994).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/analysis.hpp>

#include "analysis/diagnosis_parts.hpp"
#include "analysis/tractability.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/matrix_chain.hpp"
#include "system/mechanical_view.hpp"

namespace daedalus::diagnosis {
namespace {

// Relative to the largest singular value, by the round-off of derivatives.
constexpr double exact_zero = 1e-11, difference_zero = 1e-7;
constexpr double lost = 0.02;  // of the smallest singular value at the start

// A state near the place without special values: what vanishes at both is taken to vanish.
std::optional<Place> beside(const Site& site, const Place& at) {
  const int n = site.size();
  Eigen::VectorXd move(n), size(n);
  site.system->layout.magnitude(at.s.x.data(), size.data());
  for (int i = 0; i < n; ++i) {
    const double own = size[i] > 0.0 ? size[i] : 1.0;
    move[i] = 1e-2 * own * (0.5 + 0.5 * std::sin(1.7 * (i + 1) + 0.3));
  }
  State moved = at.s;
  site.system->layout.plus(at.s.x.data(), move.data(), moved.x.data());
  Eigen::VectorXd model(site.system->variables->size());
  site.system->to_model(moved, model.data());
  return place_at(site, at.s.t, model, at.rates, at.modes);
}

Eigen::MatrixXd matrix(const Place& p, double tau) { return p.E / tau + p.J; }

Kernels kernels(const Site& site, const Place& p, double tau) {
  ChainSettings settings;
  settings.tolerance = site.exact ? exact_zero : difference_zero;
  return kernels_of(matrix(p, tau), settings);
}

std::string empty_rows(const Site& site, const Place& at, const std::optional<Place>& near) {
  const auto vanishes = [&](auto part) {
    return part(at.E).cwiseAbs().maxCoeff() == 0.0 && part(at.J).cwiseAbs().maxCoeff() == 0.0 &&
           near && part(near->E).cwiseAbs().maxCoeff() == 0.0 &&
           part(near->J).cwiseAbs().maxCoeff() == 0.0;
  };
  std::string text;
  for (int i = 0; i < site.size(); ++i)
    if (vanishes([i](const Eigen::MatrixXd& m) { return m.row(i); }))
      text += fmt::format(
          " Equation '{}' contains none of the variables (its row is zero, its value {:.3g}).",
          site.equation(i), at.residual[i]);
  for (int j = 0; j < site.size(); ++j)
    if (vanishes([j](const Eigen::MatrixXd& m) { return m.col(j); }))
      text += fmt::format(" Variable '{}' occurs in none of the equations.", site.variable(j));
  return text;
}

int count_above(const Eigen::VectorXd& v) {
  return static_cast<int>((v.array().abs() > 0.1 * v.cwiseAbs().maxCoeff()).count());
}

// Multibody problems have their constraints differentiated here: the user's names are those of
// the constraints and their multipliers.
std::string describe_kernel(const Site& site, const Eigen::VectorXd& rows,
                            const Eigen::VectorXd& columns) {
  const std::string equations = listed(rows, site.system->equations);
  const std::string variables = listed(columns, site.system->layout.names());
  const bool one = count_above(rows) == 1;
  return fmt::format(
      " {} {} {}; {} {} not determined. Remove what is redundant, or add what is missing.",
      one ? "Equation" : "The equations", equations,
      one ? "says nothing about the variables that the others leave open"
          : "depend on each other (a combination of them contains no variable)",
      variables, count_above(columns) == 1 ? "is" : "are");
}

// What the combination of equations without variables demands of numbers: 0 = value. Of multibody
// problems the constraints themselves are asked, at the level of positions.
std::string contradiction(const Site& site, const Place& at, const Eigen::VectorXd& rows) {
  double value = 0.0, size = 0.0;
  if (std::holds_alternative<MultibodyProblem>(*site.problem)) {
    MechanicalView* view = site.system->mechanical_view();
    const LayoutBlock* l = site.system->layout.find(VariableClass::lambda);
    if (!view || !l || view->sizes().holonomic == 0) return {};
    const int count = view->sizes().holonomic;
    const int first = site.size() - l->space.tangents();
    if (rows.head(first).cwiseAbs().maxCoeff() > 1e-6 * rows.cwiseAbs().maxCoeff()) return {};
    Eigen::VectorXd g(count);
    if (view->constraint(view->point(at.s.t, at.s.x.data()), g.data()) != Outcome::ok) return {};
    const Eigen::VectorXd share = rows.segment(first, count);
    value = share.dot(g);
    size = share.cwiseAbs().maxCoeff();
  } else {
    value = rows.dot(at.residual);
    Eigen::VectorXd terms(site.size());
    site.system->layout.magnitude(at.s.x.data(), terms.data());
    size = rows.cwiseAbs().dot(at.J.cwiseAbs() * terms + at.E.cwiseAbs() * at.s.xd.cwiseAbs());
  }
  if (!(std::abs(value) > 1e-6 * size)) return {};
  return fmt::format(" They contradict each other: together they demand 0 = {:.3g}.", value);
}

}  // namespace

std::string dependent_equations(const Site& site, const Place& at) {
  const std::optional<Place> near = beside(site, at);
  std::string text = empty_rows(site, at, near);
  // Two step sizes, two places: regular at one of them means that the equations are independent.
  const double tau = 1e-2 * site.length();
  for (const double factor : {1.0, 0.37}) {
    const Kernels here = kernels(site, at, factor * tau);
    if (here.decision.full()) return text;
    if (near && kernels(site, *near, factor * tau).decision.full()) return text;
  }
  const Kernels found = kernels(site, at, tau);
  const std::string what = describe_kernel(site, found.left.col(0), found.right.col(0)) +
                           contradiction(site, at, found.left.col(0));
  return text.empty() ? what : text + what;
}

std::string higher_index(const Site& site) {
  const Problem& problem = *site.problem;
  if (std::holds_alternative<MultibodyProblem>(problem)) {
    // M and G decide: their matrix is that of the accelerations and multipliers.
    const Kernels found = kernels(site, *site.start, 1e-8 * site.length());
    if (found.decision.full()) return {};
    return fmt::format(
        " At the start the masses and constraints do not determine {}: {} depend on each other "
        "there. A mass is missing, a constraint is redundant, or the mechanism is in a singular "
        "position.",
        listed(found.right.col(0), site.system->layout.names()),
        listed(found.left.col(0), site.system->equations));
  }
  const int declared = index_of(problem);
  const StructuralAnalysis s = structural_analysis(problem, site.run->t0);
  int index = -1;
  std::string why;
  if (!s.singular && (s.regular || s.regular_nearby)) {
    index = s.index;
    const auto most = std::max_element(s.equation_offsets.begin(), s.equation_offsets.end());
    std::vector<std::string> open;
    for (std::size_t j = 0; j < s.variable_offsets.size(); ++j)
      if (s.variable_offsets[j] == 0) open.push_back("'" + s.variables[j] + "'");
    if (most != s.equation_offsets.end() && *most > 0) {
      why = fmt::format("'{}' has to be differentiated {}",
                        s.equations[static_cast<std::size_t>(most - s.equation_offsets.begin())],
                        *most == 1 ? "once" : fmt::format("{} times", *most));
      if (!open.empty()) why += " before it determines " + open.front();
    }
  } else {
    const Tractability t = analyse_tractability(problem, site.run->t0);
    if (t.index >= 0 && t.index <= 2) index = t.index;
  }
  // The structure alone may ask for more than the values do (Reissig, Martinson, Barton 2000).
  if (index > std::max(declared, 1))
    if (const Tractability t = analyse_tractability(problem, site.run->t0);
        t.index >= 0 && t.index < index && t.index <= std::max(declared, 1))
      return {};
  if (index <= std::max(declared, 1)) return {};
  return fmt::format(
      " The equations have index {}{}, and the problem declares index {}. {}", index,
      why.empty() ? why : ": " + why, declared,
      index > 3 ? "No method here takes more than 3: differentiate constraints by hand and use the "
                  "derivatives in their place."
                : "Declare it (index, variable_index, hessenberg_blocks), or differentiate "
                  "constraints.");
}

namespace {

// E / tau + W W^T J with W across the range of E at the start: regular for index 1 and below, and
// without the entries of J that a vanishing leading coefficient makes large.
Eigen::MatrixXd index1_matrix(const Place& p, const Eigen::MatrixXd& W, double tau) {
  return p.E / tau + W * (W.transpose() * p.J);
}

// [M G^T; G 0] of a multibody system in the form of index 1, in rows and columns of the whole: the
// identity stands for the rest.
std::optional<Eigen::MatrixXd> saddle_matrix(const Site& site, const Place& p) {
  const Layout& layout = site.system->layout;
  const LayoutBlock* q = layout.find(VariableClass::q);
  const LayoutBlock* v = layout.find(VariableClass::v);
  const LayoutBlock* l = layout.find(VariableClass::lambda);
  if (!q || !v) return std::nullopt;
  const int nq = q->space.tangents(), nv = v->space.tangents(), nl = l ? l->space.tangents() : 0;
  if (nq + nv + nl != site.size() || q->tangent != 0) return std::nullopt;
  Eigen::MatrixXd K = Eigen::MatrixXd::Identity(site.size(), site.size());
  K.bottomRows(nv + nl).setZero();
  K.block(nq, v->tangent, nv + nl, nv) = p.E.block(nq, v->tangent, nv + nl, nv);
  if (l) K.block(nq, l->tangent, nv + nl, nl) = p.J.block(nq, l->tangent, nv + nl, nl);
  return K;
}

// "'x' occurs in 'a', 'b'": where a lost variable is looked for.
std::string occurrences(const Site& site, int variable) {
  Eigen::VectorXd entries =
      site.start->E.col(variable).cwiseAbs() + site.start->J.col(variable).cwiseAbs() +
      site.end->E.col(variable).cwiseAbs() + site.end->J.col(variable).cwiseAbs();
  for (int i = 0; i < site.size(); ++i)
    if (entries[i] > 0.0) entries[i] = 1.0;
  return fmt::format(" ('{}' occurs in {})", site.variable(variable),
                     listed(entries, site.system->equations));
}

}  // namespace

std::string lost_rank(const Site& site) {
  const int index = std::clamp(index_of(*site.problem), 1, 3);
  const bool multibody = std::holds_alternative<MultibodyProblem>(*site.problem);
  const double tau = (multibody ? 1e-8 : std::pow(10.0, -6.0 / index)) * site.length();
  const Place& end = *site.end;
  Eigen::MatrixXd before = matrix(*site.start, tau), after = matrix(end, tau);
  if (multibody) {
    const auto first = saddle_matrix(site, *site.start), last = saddle_matrix(site, end);
    if (first && last) before = *first, after = *last;
  }
  if (index == 1 && !multibody) {
    const Eigen::MatrixXd W = kernels_of(site.start->E).left;
    const Eigen::MatrixXd first = index1_matrix(*site.start, W, tau);
    if (kernels_of(first).decision.full()) {
      before = first;
      after = index1_matrix(end, W, tau);
    }
  }
  // Both in the units of the start: scaled anew, a derivative that vanishes would look like one.
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < before.rows(); ++i) {
      const double size = before.row(i).cwiseAbs().maxCoeff();
      if (size > 0.0) before.row(i) /= size, after.row(i) /= size;
    }
    for (int j = 0; j < before.cols(); ++j) {
      const double size = before.col(j).cwiseAbs().maxCoeff();
      if (size > 0.0) before.col(j) /= size, after.col(j) /= size;
    }
  }
  const Eigen::VectorXd first = singular_values(before);
  const SingularValues last = singular_value_decomposition(after);
  const int n = site.size();
  const double ratio = last.values[n - 1] / std::max(first[n - 1], 1e-300);
  if (!(ratio < lost) || !(first[n - 1] > 1e-14)) return {};
  const bool one = count_above(last.u.col(n - 1)) == 1;
  int variable = 0;
  last.v.col(n - 1).cwiseAbs().maxCoeff(&variable);
  return fmt::format(
      " {} {} {} hold on {}{}: what determines it fell to {:.0e} of that at the start (impasse "
      "point, the index changes there). The solution may end or turn back: the model needs other "
      "equations from there on, or has a wrong sign in these.",
      one ? "Equation" : "The equations", listed(last.u.col(n - 1), site.system->equations),
      one ? "loses its" : "lose their", listed(last.v.col(n - 1), site.system->layout.names()),
      occurrences(site, variable), std::max(ratio, 1e-16));
}

}  // namespace daedalus::diagnosis
