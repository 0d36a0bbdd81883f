// M x' = f(t, x), index 1. With P the orthogonal projector along the range of M, consistency means
// P f = 0, and the matrix M + P J is regular; it gives
//   the correction   (M + P J) dx = -P f        (the part of x that M sees stays as it is),
//   the derivative   (M + P J) x' = (I - P) f - P f_t.
#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include "start/least_change.hpp"
#include "start/start_rows.hpp"

namespace daedalus {
namespace {

// Columns span the left null space of M.
Eigen::MatrixXd left_kernel(const Eigen::MatrixXd& M) {
  const int n = static_cast<int>(M.rows());
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(M);
  const int rank = static_cast<int>(qr.rank());
  const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(n, n);
  return Q.rightCols(n - rank);
}

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
  // Zero rows are the usual case and keep the names of the equations apart.
  Eigen::MatrixXd kernel;
  std::vector<int> zero;
  for (int i = 0; i < n; ++i)
    if (M.row(i).isZero(0.0)) zero.push_back(i);
  kernel = left_kernel(M);
  if (static_cast<int>(zero.size()) == kernel.cols()) {
    kernel.setZero(n, static_cast<Eigen::Index>(zero.size()));
    for (std::size_t k = 0; k < zero.size(); ++k) kernel(zero[k], static_cast<int>(k)) = 1.0;
  }
  StartReport report;
  Eigen::VectorXd f(n), dx(n);
  Eigen::MatrixXd J(n, n), A(n, n);
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  const auto factorise = [&]() -> Outcome {
    if (const Outcome o = view.linearise(s.t, s.x.data()); o != Outcome::ok) return o;
    view.linear_pencil().dense_j(J);
    A = M + kernel * (kernel.transpose() * J);
    lu.compute(A);
    const double smallest = lu.matrixLU().diagonal().cwiseAbs().minCoeff();
    return smallest > 1e-14 * A.cwiseAbs().maxCoeff() * 1e-6 ? Outcome::ok
                                                             : Outcome::matrix_singular;
  };
  const auto evaluate = [&] { return view.rhs(s.t, s.x.data(), f.data()); };
  if (const Outcome o = evaluate(); o != Outcome::ok)
    return failed_start(system, s.t, o, "evaluating the right-hand side");
  if (const Outcome o = factorise(); o != Outcome::ok)
    return failed_start(system, s.t, o, "computing the derivative of the start values");

  // Initial equations and fixed variables: the smallest change that meets everything, instead of
  // keeping what M sees.
  const LayoutBlock* own_end = system.layout.find(VariableClass::a);
  std::vector<int> columns(static_cast<std::size_t>(own_end ? own_end->tangent : n));
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
    if (const Outcome o = least_change(system, s, request, rows,
                                       static_cast<int>(kernel.cols()) + request.extra_count, all);
        o != Outcome::ok)
      return failed_start(system, s.t, o,
                          "meeting the initial equations with the fixed variables kept");
    report.changed = !(before == s.x);
    if (const Outcome o = evaluate(); o != Outcome::ok)
      return failed_start(system, s.t, o, "evaluating the right-hand side");
    if (const Outcome o = factorise(); o != Outcome::ok)
      return failed_start(system, s.t, o, "computing the derivative of the start values");
  }
  if (request.strategy == StartStrategy::automatic)
    if (const Outcome o = report_extra(system, s, request, columns, report); o != Outcome::ok)
      return failed_start(system, s.t, o, "evaluating the initial equations");

  // Rates carried as algebraic variables follow from the rest: completed in any case.
  const LayoutBlock* rates = system.layout.find(VariableClass::a);
  const int own = rates ? rates->tangent : n;
  double correction = 0.0;
  for (int iteration = 0; iteration < 25; ++iteration) {
    dx = lu.solve(-(kernel * (kernel.transpose() * f)));
    if (!dx.allFinite()) return failed_start(system, s.t, Outcome::matrix_singular, "correcting");
    correction = 0.0;
    for (int i = 0; i < own; ++i)
      correction = std::max(correction, std::abs(dx[i]) / request.weight[i]);
    if (iteration == 0 && request.strategy != StartStrategy::solve) {
      if (rates) s.x.tail(n - own) += dx.tail(n - own);
      const Eigen::MatrixXd rows = (kernel.transpose() * J).cwiseAbs();
      const Eigen::VectorXd value = kernel.transpose() * f;
      for (int k = 0; k < kernel.cols() && request.strategy == StartStrategy::automatic; ++k) {
        int which = 0;
        kernel.col(k).cwiseAbs().maxCoeff(&which);
        const double scale = rows.row(k).head(own).dot(request.weight.head(own)) + 1e-300;
        const bool defines_rates = rates && rows.row(k).tail(n - own).maxCoeff() > 0.0;
        if (!defines_rates)
          report.rows.push_back({system.equations[static_cast<std::size_t>(which)], value[k],
                                 std::abs(value[k]) / scale});
      }
      sort_rows(report);
      if (request.strategy == StartStrategy::automatic && !report.rows.empty() &&
          report.rows.front().scaled > 1.0) {
        refuse(report, s.t,
               "Correct them, or let the library solve for the algebraic variables with the start "
               "strategy 'solve'.");
        return report;
      }
      break;
    }
    if (request.strategy != StartStrategy::solve) break;
    // Damped by halving until the algebraic residual falls.
    const double size = (kernel.transpose() * f).norm();
    const Eigen::VectorXd before = s.x;
    double damping = 1.0;
    for (; damping > 1e-4; damping *= 0.5) {
      s.x = before + damping * dx;
      const Outcome o = evaluate();
      if (o == Outcome::callback_failed) return failed_start(system, s.t, o, "correcting");
      if (o == Outcome::ok &&
          (kernel.transpose() * f).norm() <= (1.0 - 0.1 * damping) * size + 1e-300)
        break;
    }
    if (damping <= 1e-4) {
      s.x = before;
      const bool negligible =
          dx.head(own).cwiseAbs().maxCoeff() <= 1e-14 * (1.0 + s.x.head(own).cwiseAbs().maxCoeff());
      if (evaluate() != Outcome::ok || (correction > 1e-3 && !negligible))
        return failed_start(system, s.t, Outcome::newton_failed,
                            "solving for consistent algebraic variables");
      break;
    }
    report.changed = report.changed || correction > 1.0;
    if (const Outcome o = factorise(); o != Outcome::ok)
      return failed_start(system, s.t, o, "solving for consistent algebraic variables");
    if (correction < 1e-6 &&
        (!rates || dx.tail(n - own).norm() <= 1e-12 * (1.0 + s.x.tail(n - own).norm())))
      break;
  }
  if (rates) {
    if (const Outcome o = evaluate(); o != Outcome::ok)
      return failed_start(system, s.t, o, "evaluating the right-hand side");
    if (const Outcome o = factorise(); o != Outcome::ok)
      return failed_start(system, s.t, o, "computing the derivative of the start values");
  }
  f -= kernel * (kernel.transpose() * (f + view.time_derivative()));
  s.xd = lu.solve(f);

  // Constraints that hold as invariants of this formulation.
  if (system.has_projection() && request.strategy != StartStrategy::given) {
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
