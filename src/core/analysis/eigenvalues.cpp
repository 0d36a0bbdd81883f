// SPDX-License-Identifier: BSD-3-Clause
// Finite eigenvalues of the linearised equations. First-order forms: of the pencil s E + J, its
// infinite part deflated by rank decisions. Multibody: of the equations of motion on the manifold
// g = 0, G v + g_t = 0, as those of the local state-space form that its tangent space parametrises
// (Potra, Yen 1991): with the underlying equations w' = f(w) of the index-1 form, w = (q, v, c),
// and an orthonormal basis V of the tangent space they are the eigenvalues of V^T f_w V.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include <daedalus/analysis.hpp>
#include <daedalus/solve.hpp>

#include "analysis/eigenvalues_order.hpp"
#include "analysis/pencil_form_staircase.hpp"
#include "analysis/structure_start.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/matrix_chain.hpp"
#include "system/mechanical_view.hpp"
#include "system/model_size.hpp"

namespace daedalus {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of full matrices, whose eigenvalues cost n^3: some minutes here.
constexpr int max_variables = 3000;

// Between singular values kept and dropped; clear decisions have 1e8 and more.
constexpr double doubtful_gap = 1e3;

bool fail(Eigenvalues& r, std::string message) {
  r.message = std::move(message);
  return false;
}

bool first_order(AnalysedSystem& a, Eigenvalues& r) {
  if (a.size() > max_variables)
    return fail(r, fmt::format("There are {} variables; eigenvalues are computed from full "
                               "matrices, of {} at most.",
                               a.size(), max_variables));
  MatrixXd E, J;
  if (!a.linearise(a.state, E, J))
    return fail(r, fmt::format("The equations could not be linearised at t = {:.6g}.", a.state.t));
  if (E.rows() != E.cols()) return fail(r, "There are more equations than variables.");
  const Staircase s = staircase(E, J, 1e-11);
  r.gap = s.gap;
  if (!s.regular) {
    const double most = s.equations.cwiseAbs().maxCoeff();
    std::string which;
    for (Index i = 0; i < s.equations.size(); ++i)
      if (std::abs(s.equations[i]) > 1e-8 * most)
        which += fmt::format("{}'{}'", which.empty() ? "" : ", ",
                             a.system->equations[static_cast<std::size_t>(i)]);
    return fail(r, fmt::format("The linearised equations are singular for every s: {} depend on "
                               "each other.",
                               which));
  }
  r.index = s.index;
  const int f = s.finite;
  r.values = ordered_eigenvalues(-s.B.topLeftCorner(f, f), s.A.topLeftCorner(f, f));
  for (std::complex<double>& v : r.values) v /= s.tau;
  return true;
}

// J of another formulation at the state of this one.
bool constraint_rows(const Problem& problem, const char* formulation, const AnalysedSystem& at,
                     int first, int count, MatrixXd& rows, MatrixXd& contact) {
  Options given;
  const VectorXd y = at.state.x.head(at.system->layout.points());
  AnalysedSystem other = analysed_at(problem, formulation, at.state.t, y, given);
  other.state.x = at.state.x;
  other.state.xd = at.state.xd;
  MatrixXd E, J;
  if (!other.linearise(other.state, E, J)) return false;
  rows = J.middleRows(first, count);
  const MechanicalSizes& n = at.system->mechanical_view()->sizes();
  contact = J.middleRows(n.tangents + n.velocities + n.dynamic, n.contact);
  return true;
}

// Rows of D(g, G v + g_t) in w, s eliminated by h(q, s) = 0.
struct ConstraintRows {
  MatrixXd position, velocity;
};

bool linearised_constraints(AnalysedSystem& a, const Problem& problem, const MatrixXd& kinematics,
                            bool equilibrium, ConstraintRows& out) {
  const MechanicalSizes& n = a.system->mechanical_view()->sizes();
  const int nw = n.tangents + n.velocities + n.dynamic, first = nw + n.contact;
  MatrixXd contact;
  if (!constraint_rows(problem, "index3", a, first, n.holonomic, out.position, contact) ||
      !constraint_rows(problem, "index2", a, first, n.multipliers(), out.velocity, contact))
    return false;
  const auto without_contact = [&](MatrixXd& rows) {
    MatrixXd reduced = rows.leftCols(nw);
    if (n.contact > 0)
      reduced -= rows.middleCols(nw, n.contact) *
                 PivotedLu(contact.middleCols(nw, n.contact)).solve_columns(contact.leftCols(nw));
    rows = std::move(reduced);
  };
  without_contact(out.position);
  without_contact(out.velocity);
  if (equilibrium) {
    // t is fixed: the rate of g is G T v, and the terms g_t, g_tq of moving constraints are none.
    out.velocity.topRows(n.holonomic).setZero();
    out.velocity.block(0, n.tangents, n.holonomic, n.velocities) =
        out.position.leftCols(n.tangents) * kinematics;
  }
  return true;
}

// The eigenvectors of A in the order of its eigenvalues; each is used once, so that those of
// multiple ones stay independent.
Eigen::MatrixXcd vectors_of(const MatrixXd& A, const std::vector<std::complex<double>>& values) {
  const Eigen::EigenSolver<MatrixXd> solved(A);
  Eigen::MatrixXcd vectors(A.rows(), A.cols());
  std::vector<bool> used(values.size(), false);
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::size_t best = values.size();
    const auto distance = [&](std::size_t i) {
      return std::abs(solved.eigenvalues()[static_cast<Index>(i)] - values[k]);
    };
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!used[i] && (best == values.size() || distance(i) < distance(best))) best = i;
    used[best] = true;
    vectors.col(static_cast<Index>(k)) = solved.eigenvectors().col(static_cast<Index>(best));
  }
  return vectors;
}

bool multibody(AnalysedSystem& a, const Problem& problem, bool equilibrium, Eigenvalues& r) {
  const MechanicalSizes& n = a.system->mechanical_view()->sizes();
  const int nq = n.tangents, nv = n.velocities, nc = n.dynamic, ns = n.contact,
            nl = n.multipliers(), nw = nq + nv + nc;
  MatrixXd E, J;
  if (!a.linearise(a.state, E, J))
    return fail(r, fmt::format("The equations could not be linearised at t = {:.6g}.", a.state.t));
  ConstraintRows constraints;
  if (nl > 0) {
    const MatrixXd kinematics = -J.block(0, nq, nq, nv);  // T of q' = T v
    if (!linearised_constraints(a, problem, kinematics, equilibrium, constraints))
      return fail(r, "The constraints could not be linearised.");
    if (equilibrium) {
      E.middleRows(nw + ns, nl).setZero();
      J.middleRows(nw + ns, nl).setZero();
      E.block(nw + ns, 0, nl, nw) = constraints.velocity;
    }
  }
  // w' and (s, lambda) follow from w: E_w w' + J_a (s, lambda) + J_w w = 0.
  MatrixXd S(nw + ns + nl, nw + ns + nl);
  S << E.leftCols(nw), J.middleCols(nw, ns + nl);
  const RankDecision regular = kernels_of(S).decision;
  if (!regular.full())
    return fail(r,
                "The matrix [M G^T; G 0] is singular: accelerations and constraint forces are not "
                "determined.");
  MatrixXd f_w = -PivotedLu(S).solve_columns(J.leftCols(nw)).topRows(nw);
  // Increments w of q (+) w turn with the motion: w' = dv - [v, w] on a group.
  const Space& space = a.system->mechanical_view()->space();
  const VectorXd v = a.state.x.segment(n.positions, nv);
  if (!space.is_euclidean()) {
    VectorXd unit(nq), turned(nq);
    for (int j = 0; j < nq; ++j) {
      unit.setZero();
      unit[j] = 1.0;
      space.bracket(v.data(), unit.data(), turned.data());
      f_w.col(j).head(nq) -= turned;
    }
  }
  MatrixXd basis = MatrixXd::Identity(nw, nw);
  r.gap = std::min(1e16, regular.kept / 1e-11);
  if (nl > 0) {
    MatrixXd rows(n.holonomic + nl, nw);
    rows << constraints.position, constraints.velocity;
    for (Index i = 0; i < rows.rows(); ++i) rows.row(i) /= std::max(rows.row(i).norm(), 1e-300);
    const SingularValues svd = singular_value_decomposition(rows);
    Index rank = 0;
    while (rank < svd.values.size() && svd.values[rank] > 1e-11 * svd.values[0]) ++rank;
    if (rank < rows.rows())
      return fail(r, fmt::format("The constraints are redundant: only {} of {} rows at position "
                                 "and velocity level are independent.",
                                 rank, rows.rows()));
    r.gap = std::min(r.gap, svd.values[rank - 1] / (1e-11 * svd.values[0]));
    basis = svd.v.rightCols(nw - rank);
  }
  r.index = nl + ns > 0 ? 1 : 0;
  const MatrixXd reduced = basis.transpose() * f_w * basis;
  r.values = ordered_eigenvalues(reduced, MatrixXd::Identity(reduced.rows(), reduced.cols()));
  if (!r.values.empty()) r.modes = basis.topRows(nq) * vectors_of(reduced, r.values);
  return true;
}

Eigenvalues analyse(AnalysedSystem a, const Problem& problem, bool equilibrium = false) {
  Eigenvalues r;
  r.equilibrium = equilibrium;
  r.t = a.state.t;
  r.names = a.system->variables->names;
  r.state.resize(a.system->variables->size());
  a.system->to_model(a.state, r.state.data());
  r.found = a.system->mechanical_view() ? multibody(a, problem, equilibrium, r) : first_order(a, r);
  if (!r.found) return r;
  r.degrees_of_freedom = static_cast<int>(r.values.size());
  if (r.gap < doubtful_gap)
    r.warnings.push_back(fmt::format(
        "A rank decision is doubtful, its gap is only {:.2g}: very fast eigenvalues and algebraic "
        "variables are hard to tell apart here.",
        r.gap));
  return r;
}

const char* underlying(const Problem& problem) {
  return std::holds_alternative<MultibodyProblem>(problem) ? "index1" : "";
}

}  // namespace

std::vector<std::complex<double>> ordered_eigenvalues(const MatrixXd& A, const MatrixXd& B) {
  std::vector<std::complex<double>> values;
  if (A.rows() == 0) return values;
  const PencilEigenvalues pairs = pencil_eigenvalues(A, B);
  for (Index i = 0; i < A.rows(); ++i) values.push_back(pairs.alpha[i] / pairs.beta[i]);
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
    // Conjugate pairs differ in their real parts by nothing; others may by rounding only.
    return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag();
  });
  return values;
}

bool Eigenvalues::stable(double tolerance) const {
  double largest = 0.0;
  for (const auto& v : values) largest = std::max(largest, std::abs(v));
  return std::all_of(values.begin(), values.end(),
                     [&](const auto& v) { return v.real() <= tolerance * largest; });
}

Eigenvalues eigenvalues(const Problem& problem, double t0, double t, const Options& options) {
  if (!(std::isfinite(t) && t >= t0))
    throw InvalidArgument(
        fmt::format("eigenvalues at t = {}: allowed are times from t0 = {} on", t, t0));
  if (t == t0) {
    AnalysedSystem a = analysed_at_start(problem, underlying(problem), t0, options);
    const bool consistent = a.consistent;
    const std::string why = a.message;
    Eigenvalues r = analyse(std::move(a), problem);
    if (!consistent) r.warnings.push_back(why);
    return r;
  }
  Options run = options;
  run.output = Output::end;
  const Solution s = solve(problem, {t0, t}, run);
  if (!s.ok() || std::abs(s.end_time() - t) > 1e-12 * std::max(1.0, std::abs(t))) {
    Eigenvalues r;
    r.t = s.end_time();
    r.message =
        s.ok() ? fmt::format("An event ended the run at t = {:.6g}.", s.end_time()) : s.message();
    return r;
  }
  const ModelState end = s.end();
  const VectorXd y = end.y().head(model_size(s.variables()));
  return analyse(analysed_at(problem, underlying(problem), t, y, options), problem);
}

Eigenvalues eigenvalues(const Problem& problem, const SteadyState& at, const Options& options) {
  if (!at.found) {
    Eigenvalues r;
    r.t = at.t;
    r.message = at.message;
    return r;
  }
  AnalysedSystem a = analysed_at(problem, underlying(problem), at.t, at.x, options);
  a.system->from_model(at.t, at.x.data(), a.state);
  a.state.xd.setZero();
  return analyse(std::move(a), problem, true);
}

}  // namespace daedalus
