// F(t, x, d') = 0. With E = F_d' d_x, J = F_x and P the projector along the range of E: the part of
// F in the range of E is met by completing x' (least squares), the rest must vanish; for index 1
// the correction (E + P J) dx = -P F makes it vanish.
#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include "start/least_change.hpp"
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
  const bool stated = nd != n;  // d' cannot be completed from x' then; it is taken as given
  Eigen::MatrixXd kernel;
  for (int iteration = 0; iteration < 25; ++iteration) {
    if (const Outcome o = evaluate(); o != Outcome::ok)
      return failed_start(system, s.t, o, "evaluating the residual");
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(E);
    const int rank = static_cast<int>(qr.rank());
    const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(rows, rows);
    kernel = Q.rightCols(rows - rank);
    if (!stated) {
      const Eigen::VectorXd range = r - kernel * (kernel.transpose() * r);
      const Eigen::VectorXd change = E.completeOrthogonalDecomposition().solve(-range);
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
      if (const Outcome o =
              least_change(system, s, request, all,
                           static_cast<int>(kernel.cols()) + request.extra_count, columns);
          o != Outcome::ok)
        return failed_start(system, s.t, o,
                            "meeting the initial equations with the fixed variables kept");
      report.changed = report.changed || !(before == s.x);
      if (iteration > 1) break;
      continue;
    }
    if (kernel.cols() == 0) break;
    const Eigen::MatrixXd A = E + kernel * (kernel.transpose() * J);
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(A);
    const Eigen::VectorXd dx = lu.solve(-(kernel * algebraic));
    if (rows != n || !dx.allFinite() || dx.norm() > 1e8 * (1.0 + s.x.norm()))
      return failed_start(system, s.t, Outcome::matrix_singular,
                          "solving for consistent algebraic variables");
    double size = 0.0;
    for (int i = 0; i < n; ++i) size = std::max(size, std::abs(dx[i]) / request.weight[i]);
    const Eigen::VectorXd before = s.x;
    system.layout.plus(before.data(), dx.data(), s.x.data());
    report.changed = report.changed || size > 1.0;
    if (size < 1e-6 && iteration > 0) break;
  }
  if (request.strategy != StartStrategy::given) {
    const Eigen::VectorXd value = kernel.transpose() * r;
    const Eigen::MatrixXd effect = (kernel.transpose() * J).cwiseAbs();
    for (int k = 0; k < kernel.cols(); ++k) {
      int which = 0;
      kernel.col(k).cwiseAbs().maxCoeff(&which);
      const double scale = effect.row(k).dot(request.weight.head(n)) + 1e-300;
      report.rows.push_back({system.equations[static_cast<std::size_t>(which)], value[k],
                             std::abs(value[k]) / scale});
    }
    sort_rows(report);
    State with_rates = s;
    with_rates.xd = dd.head(n);
    if (const Outcome o = report_extra(system, with_rates, request, columns, report);
        o != Outcome::ok)
      return failed_start(system, s.t, o, "evaluating the initial equations");
    if (!report.rows.empty() && report.rows.front().scaled > 1.0)
      refuse(report, s.t,
             "Correct them, or let the library solve for them with the start strategy 'solve'.");
  }
  s.xd.setZero(n);
  s.xd.head(std::min(nd, n)) = dd.head(std::min(nd, n));
  return report;
}

}  // namespace daedalus
