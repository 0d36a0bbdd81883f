// SPDX-License-Identifier: BSD-3-Clause
// M x' = f(t, x), index 1. With W a basis of the left null space of M (mass_kernel.hpp),
// consistency means W^T f = 0, and the matrix A = M + W D W^T J is regular for any regular D; it
// gives
//   the correction   A dx = -W D W^T f,   that is M dx = 0 and W^T J dx = -W^T f,
//   the derivative   A x' = f - W D W^T f_t   once W^T f = 0.
// D brings the rows of W^T J to the size of M, so that pivots can be compared.
// This is section 9 of Steinebach (1988), where x = V (xi; eta) with xi kept and Newton's method
// for eta in the last n - r equations: M dx = 0 keeps xi, and the steps are the same.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linalg/decompositions.hpp"
#include "start/conflict.hpp"
#include "start/mass_kernel.hpp"
#include "start/start_rows.hpp"

namespace daedalus {
namespace {

// exp-like equations descend by a fixed amount per iteration from far above.
constexpr int max_iterations = 200;
constexpr double min_damping = 1e-10;

}  // namespace

StartReport start_linear(System& system, State& s, const StartRequest& request) {
  LinearView& view = *system.linear_view();
  const int n = system.layout.tangents();
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(n);
  for (int j = 0; j < n; ++j) {
    unit[j] = 1.0;
    view.add_mass_times(1.0, unit.data(), M.col(j).data());
    unit[j] = 0.0;
  }
  const MassKernel found = mass_kernel(M, system.equations);
  const Eigen::MatrixXd& kernel = found.basis;
  if (found.unclear()) {
    const std::string text = fmt::format(
        "The rank {} of the mass matrix is not clear: of its scaled pivots the last counted one is "
        "{:.1e} of the largest, the next one {:.1e} of the last counted. Write equations without "
        "derivatives as rows of exact zeros.",
        found.rank, found.counted, found.neglected);
    std::vector<std::string>& known = system.warnings;
    if (std::find(known.begin(), known.end(), text) == known.end()) known.push_back(text);
  }
  StartReport report;
  Eigen::VectorXd f(n), dx(n);
  Eigen::MatrixXd J(n, n), A(n, n);
  PivotedLu lu;
  int singular_column = -1;
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(kernel.cols());
  const double mass_size = found.rank > 0 ? M.cwiseAbs().maxCoeff() : 1.0;
  const auto factorise = [&]() -> Outcome {
    if (const Outcome o = view.linearise(s.t, s.x.data()); o != Outcome::ok) return o;
    view.linear_pencil().dense_j(J);
    const Eigen::MatrixXd rows = kernel.transpose() * J;
    for (Eigen::Index k = 0; k < kernel.cols(); ++k) {
      const double size = rows.row(k).cwiseAbs().maxCoeff();
      scale[k] = size > 0.0 ? mass_size / size : 1.0;
    }
    A = M + kernel * (scale.asDiagonal() * rows);
    lu.compute(A);
    int weak = 0;
    const double smallest = lu.factors().diagonal().cwiseAbs().minCoeff(&weak);
    if (smallest > 1e-20 * A.cwiseAbs().maxCoeff()) return Outcome::ok;
    singular_column = weak;
    return Outcome::matrix_singular;
  };
  const auto evaluate = [&] { return view.rhs(s.t, s.x.data(), f.data()); };
  // Rates carried as algebraic variables follow from the rest: completed in any case.
  const LayoutBlock* rates = system.layout.find(VariableClass::a);
  const int own = rates ? rates->tangent : n;
  const auto list_rows = [&] {
    const Eigen::MatrixXd effect = (kernel.transpose() * J).cwiseAbs();
    const Eigen::VectorXd value = kernel.transpose() * f;
    for (Eigen::Index k = 0; k < kernel.cols(); ++k) {
      const double unit_change = effect.row(k).head(own).dot(request.weight.head(own)) + 1e-300;
      if (!rates || effect.row(k).tail(n - own).maxCoeff() == 0.0)
        report.rows.push_back(
            {found.names[static_cast<std::size_t>(k)], value[k], std::abs(value[k]) / unit_change});
    }
    sort_rows(report);
  };
  const Eigen::VectorXd given = s.x;
  // Names the equations that could not be met; the start values stay the given ones.
  const auto unsolved = [&](Outcome o) {
    const bool solving = request.strategy == StartStrategy::solve;
    const char* doing = solving ? "solving for consistent algebraic variables"
                                : "computing the derivative of the start values";
    if (o != Outcome::matrix_singular && o != Outcome::newton_failed)
      return failed_start(system, s.t, o, doing);
    report.rows.clear();
    if (request.strategy != StartStrategy::given && evaluate() == Outcome::ok) list_rows();
    s.x = given;
    const bool violated = !report.rows.empty() && report.rows.front().scaled > 1.0;
    const std::string variable =
        singular_column >= 0 ? system.layout.name(singular_column) : std::string();
    if (o == Outcome::matrix_singular && violated) {
      give_up(report, s.t,
              fmt::format("The equations do not determine '{}' at these values: they contradict "
                          "each other, or their derivative vanishes there; give other values.",
                          variable));
      return report;
    }
    if (o == Outcome::newton_failed && violated) {
      give_up(report, s.t,
              "Newton's method found no better values: the equations may have no solution here; "
              "give start values nearer to one, or other values of what is kept.");
      return report;
    }
    StartReport failed = failed_start(system, s.t, o, doing, variable);
    failed.rows = report.rows;
    return failed;
  };
  if (const Outcome o = evaluate(); o != Outcome::ok)
    return failed_start(system, s.t, o, "evaluating the right-hand side");
  if (const Outcome o = factorise(); o != Outcome::ok) return unsolved(o);

  // Initial equations and fixed variables: the smallest change that meets everything, instead of
  // keeping what M sees.
  std::vector<int> columns(static_cast<std::size_t>(own));
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<int>(i);
  if (request.strategy == StartStrategy::solve &&
      (request.extra_count > 0 || !request.fixed.empty())) {
    const Eigen::VectorXd before = s.x;
    const StartRows rows = [&](const State& at, Eigen::VectorXd& out) {
      if (const Outcome o = view.rhs(at.t, at.x.data(), f.data()); o != Outcome::ok) return o;
      out.head(kernel.cols()) = kernel.transpose() * f;
      return request.extra_count > 0 ? request.extra(at, out.data() + kernel.cols()) : Outcome::ok;
    };
    std::vector<int> all = columns;
    for (int i = static_cast<int>(columns.size()); i < n; ++i) all.push_back(i);
    const int row_count = static_cast<int>(kernel.cols()) + request.extra_count;
    if (const Outcome o = min_change(system, s, request, rows, row_count, all); o != Outcome::ok) {
      if (o != Outcome::newton_failed || evaluate() != Outcome::ok)
        return failed_start(system, s.t, o,
                            "meeting the initial equations with the fixed variables kept");
      State at_start = s;
      at_start.x = given;
      if (StartReport named =
              find_conflict(system, at_start, request, rows, row_count,
                            {{found.names, all}, initial_equation_stage(request, all)});
          named.status != Status::success) {
        s.x = given;
        return named;
      }
      if (const Outcome again = evaluate(); again != Outcome::ok)
        return failed_start(system, s.t, again, "evaluating the right-hand side");
      list_rows();
      if (const Outcome extra = report_extra(system, s, request, columns, report);
          extra != Outcome::ok)
        return failed_start(system, s.t, extra, "evaluating the initial equations");
      s.x = given;
      give_up(report, s.t,
              "With the fixed variables kept no better values were found: free some of them, or "
              "give start values nearer to a solution.");
      return report;
    }
    report.changed = !(before == s.x);
    if (const Outcome o = evaluate(); o != Outcome::ok)
      return failed_start(system, s.t, o, "evaluating the right-hand side");
    if (const Outcome o = factorise(); o != Outcome::ok)
      return failed_start(system, s.t, o, "computing the derivative of the start values");
  }
  if (request.strategy == StartStrategy::automatic)
    if (const Outcome o = report_extra(system, s, request, columns, report); o != Outcome::ok)
      return failed_start(system, s.t, o, "evaluating the initial equations");

  bool converged = request.strategy != StartStrategy::solve;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    dx = lu.solve(-(kernel * (scale.asDiagonal() * (kernel.transpose() * f))));
    if (!dx.allFinite()) return unsolved(Outcome::matrix_singular);
    double correction = 0.0;
    for (int i = 0; i < own; ++i)
      correction = std::max(correction, std::abs(dx[i]) / request.weight[i]);
    if (request.strategy != StartStrategy::solve) {
      if (rates) s.x.tail(n - own) += dx.tail(n - own);
      if (request.strategy == StartStrategy::automatic) list_rows();
      if (!report.rows.empty() && report.rows.front().scaled > 1.0) {
        refuse(report, s.t,
               "Correct them, or let the library solve for the algebraic variables with the start "
               "strategy 'solve'.");
        return report;
      }
      break;
    }
    // Damped by halving until the rows fall, each in units of its own derivatives.
    const Eigen::VectorXd unit_of_row =
        (kernel.transpose() * J).cwiseAbs() * request.weight.head(n) +
        Eigen::VectorXd::Constant(kernel.cols(), 1e-100);
    const auto size = [&] { return (kernel.transpose() * f).cwiseQuotient(unit_of_row).norm(); };
    const double size_before = size();
    const Eigen::VectorXd before = s.x;
    double damping = 1.0;
    for (; damping > min_damping; damping *= 0.5) {
      s.x = before + damping * dx;
      const Outcome o = evaluate();
      if (o == Outcome::callback_failed) return failed_start(system, s.t, o, "correcting");
      if (o == Outcome::ok && size() <= (1.0 - 0.1 * damping) * size_before + 1e-300) break;
    }
    if (damping <= min_damping) {
      s.x = before;
      const bool negligible =
          dx.head(own).cwiseAbs().maxCoeff() <= 1e-14 * (1.0 + s.x.head(own).cwiseAbs().maxCoeff());
      if (evaluate() != Outcome::ok || (correction > 1e-3 && !negligible))
        return unsolved(Outcome::newton_failed);
      converged = true;
      break;
    }
    report.changed = report.changed || correction * damping > 1.0;
    if (const Outcome o = factorise(); o != Outcome::ok) return unsolved(o);
    converged = correction < 1e-6 &&
                (!rates || dx.tail(n - own).norm() <= 1e-12 * (1.0 + s.x.tail(n - own).norm()));
    if (converged) break;
  }
  if (!converged) return unsolved(Outcome::newton_failed);
  if (rates) {
    if (const Outcome o = evaluate(); o != Outcome::ok)
      return failed_start(system, s.t, o, "evaluating the right-hand side");
    if (const Outcome o = factorise(); o != Outcome::ok)
      return failed_start(system, s.t, o, "computing the derivative of the start values");
  }
  // What f has outside the range of M, within tolerance, has no part in x'.
  if (kernel.cols() > 0) {
    const Eigen::VectorXd outside = kernel.transpose() * f;
    const PivotedLu gram(kernel.transpose() * kernel);
    f -= kernel * gram.solve(outside);
    f -= kernel * (scale.asDiagonal() * (kernel.transpose() * view.time_derivative()));
  }
  s.xd = lu.solve(f);

  // Constraints that hold as invariants of this formulation; those that the user names are held at
  // the values they start with.
  if (system.has_projection() && !system.invariants && request.strategy != StartStrategy::given) {
    State moved = s;
    const bool solve = request.strategy == StartStrategy::solve;
    const ProjectionResult p = system.project(moved, request.weight, solve ? 0.0 : 1.0);
    if (p.outcome != Outcome::ok)
      return failed_start(system, s.t, p.outcome, "moving the start values onto the constraints");
    if (p.amended && solve) {
      s.x = moved.x;
      report.changed = true;
    } else if (p.amended) {
      const double residual = system.projection_residual(s);
      report.rows.push_back({"algebraic equations", residual, 2.0});
      refuse(report, s.t,
             "Correct them, or let the library find consistent ones with the start strategy "
             "'solve'.");
    }
  }
  return report;
}

}  // namespace daedalus
