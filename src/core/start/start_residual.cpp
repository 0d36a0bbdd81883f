// SPDX-License-Identifier: BSD-3-Clause
// F(t, x, d') = 0. With E = F_d' d_x, J = F_x and P the projector along the range of E: the part of
// F in the range of E is met by completing x' (least squares), the rest must vanish; for index 1
// the correction (E + P J) dx = -P F makes it vanish.
#include <cmath>

#include "linalg/decompositions.hpp"
#include "start/conflict.hpp"
#include "start/start_rows.hpp"

namespace daedalus {

StartReport start_residual(System& system, State& s, const StartRequest& request) {
  ResidualView& view = *system.residual_view();
  const int n = system.layout.tangents();
  const int rows = static_cast<int>(system.equations.size());
  const int nd = view.differentiated_count();
  StartReport report;
  Eigen::VectorXd r(rows), dd = Eigen::VectorXd::Zero(std::max(nd, n));
  dd.head(std::min(nd, n)) = s.xd.head(std::min(nd, n));
  Eigen::MatrixXd E(rows, n), J(rows, n);
  const auto evaluate = [&]() -> Outcome {
    if (const Outcome o = view.residual(s.t, s.x.data(), dd.data(), r.data()); o != Outcome::ok)
      return o;
    if (const Outcome o = view.linearise(s.t, s.x.data(), dd.data()); o != Outcome::ok) return o;
    view.residual_pencil().dense_e(E);
    view.residual_pencil().dense_j(J);
    return Outcome::ok;
  };
  std::vector<int> columns(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) columns[static_cast<std::size_t>(i)] = i;
  // d' cannot be completed from x' then; it is taken as given.
  const bool stated = view.states_leading_term();
  Eigen::MatrixXd kernel;
  // A combination of equations is called by the one with the largest share.
  const auto equation_of = [&](int k) {
    int which = 0;
    kernel.col(k).cwiseAbs().maxCoeff(&which);
    return system.equations[static_cast<std::size_t>(which)];
  };
  const Eigen::VectorXd given = s.x;
  bool stuck = false, singular = false;
  for (int iteration = 0; iteration < 100; ++iteration) {
    if (const Outcome o = evaluate(); o != Outcome::ok)
      return failed_start(system, s.t, o, "evaluating the residual");
    const PivotedQr qr = pivoted_qr(E);
    kernel = qr.q.rightCols(rows - qr.rank);
    if (!stated) {
      const Eigen::VectorXd range = r - kernel * (kernel.transpose() * r);
      const Eigen::VectorXd change = least_squares(E, -range);
      if (change.norm() > 1e-12 * (1.0 + dd.norm())) {
        dd.head(n) += change;
        if (iteration < 5 || request.strategy == StartStrategy::solve) {
          if (request.strategy != StartStrategy::solve) continue;
        }
      }
    }
    const Eigen::VectorXd algebraic = kernel.transpose() * r;
    if (request.strategy != StartStrategy::solve) break;
    if (request.extra_count > 0 || !request.fixed.empty()) {
      const Eigen::VectorXd before = s.x;
      const StartRows all = [&](const State& at, Eigen::VectorXd& out) {
        Eigen::VectorXd here(rows);
        if (const Outcome o = view.residual(at.t, at.x.data(), dd.data(), here.data());
            o != Outcome::ok)
          return o;
        out.head(kernel.cols()) = kernel.transpose() * here;
        if (request.extra_count == 0) return Outcome::ok;
        State with_rates = at;
        with_rates.xd = dd.head(n);
        return request.extra(with_rates, out.data() + kernel.cols());
      };
      const int row_count = static_cast<int>(kernel.cols()) + request.extra_count;
      if (const Outcome o = min_change(system, s, request, all, row_count, columns);
          o != Outcome::ok) {
        s.x = given;
        if (o == Outcome::newton_failed) {
          StartStage algebraic_rows{{}, columns};
          for (int k = 0; k < kernel.cols(); ++k) algebraic_rows.names.push_back(equation_of(k));
          if (StartReport named =
                  find_conflict(system, s, request, all, row_count,
                                {algebraic_rows, initial_equation_stage(request, columns)});
              named.status != Status::success)
            return named;
        }
        return failed_start(system, s.t, o,
                            "meeting the initial equations with the fixed variables kept");
      }
      report.changed = report.changed || !(before == s.x);
      if (iteration > 1) break;
      continue;
    }
    if (kernel.cols() == 0) break;
    const Eigen::MatrixXd A = E + kernel * (kernel.transpose() * J);
    const Eigen::VectorXd dx = PivotedLu(A).solve(-(kernel * algebraic));
    singular = rows != n || !dx.allFinite() || dx.norm() > 1e8 * (1.0 + s.x.norm());
    if (singular) break;
    double size = 0.0;
    for (int i = 0; i < n; ++i) size = std::max(size, std::abs(dx[i]) / request.weight[i]);
    const Eigen::VectorXd before = s.x;
    // Halved until the algebraic part falls, its rows in units of their own derivatives; near
    // round-off it cannot.
    const Eigen::VectorXd unit = (kernel.transpose() * J).cwiseAbs() * request.weight.head(n) +
                                 Eigen::VectorXd::Constant(kernel.cols(), 1e-100);
    if (const Outcome o = view.residual(s.t, s.x.data(), dd.data(), r.data()); o != Outcome::ok)
      return failed_start(system, s.t, o, "evaluating the residual");
    const double norm = (kernel.transpose() * r).cwiseQuotient(unit).norm();
    double damping = 1.0;
    for (; damping > 1e-10; damping *= 0.5) {
      const Eigen::VectorXd step = damping * dx;
      system.layout.plus(before.data(), step.data(), s.x.data());
      const Outcome o = view.residual(s.t, s.x.data(), dd.data(), r.data());
      if (o == Outcome::callback_failed)
        return failed_start(system, s.t, o, "evaluating the residual");
      if (o == Outcome::ok &&
          (kernel.transpose() * r).cwiseQuotient(unit).norm() <= (1.0 - 0.1 * damping) * norm)
        break;
      if (size < 1e-6) break;
    }
    report.changed = report.changed || size * damping > 1.0;
    stuck = damping <= 1e-10;
    if (stuck || (size < 1e-6 && iteration > 0)) break;
  }
  if (request.strategy != StartStrategy::given) {
    const Eigen::VectorXd value = kernel.transpose() * r;
    const Eigen::MatrixXd effect = (kernel.transpose() * J).cwiseAbs();
    for (int k = 0; k < kernel.cols(); ++k) {
      const double scale = effect.row(k).dot(request.weight.head(n)) + 1e-300;
      report.rows.push_back({equation_of(k), value[k], std::abs(value[k]) / scale});
    }
    sort_rows(report);
    State with_rates = s;
    with_rates.xd = dd.head(n);
    if (const Outcome o = report_extra(system, with_rates, request, columns, report);
        o != Outcome::ok)
      return failed_start(system, s.t, o, "evaluating the initial equations");
    const bool violated = !report.rows.empty() && report.rows.front().scaled > 1.0;
    if (singular && !violated)
      return failed_start(system, s.t, Outcome::matrix_singular,
                          "solving for consistent algebraic variables");
    if (violated && request.strategy == StartStrategy::solve) {
      s.x = given;
      const char* why =
          singular ? "At the values found the equations do not determine all variables: they "
                     "contradict each other, or their derivative vanishes there; give other values."
          : stuck  ? "Newton's method found no better values: the equations may have no solution "
                     "here; give start values nearer to one, or other values of what is kept."
                   : "Newton's method did not converge in 100 iterations; give start values nearer "
                     "to a solution.";
      give_up(report, s.t, why);
    } else if (violated) {
      refuse(report, s.t,
             "Correct them, or let the library solve for them with the start strategy 'solve'.");
    }
  }
  s.xd.setZero(n);
  s.xd.head(std::min(nd, n)) = dd.head(std::min(nd, n));
  return report;
}

}  // namespace daedalus
