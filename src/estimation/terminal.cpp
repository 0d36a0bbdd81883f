// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/terminal.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <vector>

#include "kernel/at.hpp"

namespace daedalus {
namespace {

[[noreturn]] void singular(double t) {
  throw GradientFailure(fmt::format(
      "The adjoint equations have no consistent end at t = {:.6g}: their matrix is singular. The "
      "index of the problem is higher than it says.",
      t));
}

// E has a constant kernel that is no set of variables.
// by_parameters: mu.
Terminal by_null_spaces(AlongRun& run, const LinearPoint& p, const Eigen::VectorXd& psi_x) {
  const Eigen::MatrixXd E = run.dense(true, p), J = run.dense(false, p);
  const Eigen::FullPivLU<Eigen::MatrixXd> right(E), left(E.transpose());
  const Eigen::MatrixXd K = right.kernel(), N = left.kernel();
  const Eigen::MatrixXd reduced = K.transpose() * J.transpose() * N;
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(reduced);
  if (!lu.isInvertible()) singular(p.t);
  const Eigen::VectorXd mu = N * lu.solve(K.transpose() * psi_x);
  Eigen::MatrixXd rows(E.rows() + K.cols(), E.cols());
  rows << E.transpose(), K.transpose() * J.transpose();
  Eigen::VectorXd rhs(rows.rows());
  rhs << psi_x - J.transpose() * mu, K.transpose() * p.by_state;
  Terminal end;
  end.l = rows.colPivHouseholderQr().solve(rhs);
  end.by_parameters = mu;
  return end;
}

// Rows and columns of the Hessenberg form.
struct Blocks {
  std::vector<int> d, a, c, o;  // differential, algebraic rows; differentiated, other columns
  Blocks(const AlongRun& run, const Eigen::MatrixXd& E) {
    for (int i = 0; i < E.rows(); ++i) {
      ((E.row(i).array() != 0.0).any() ? d : a).push_back(i);
      (run.differentiated()[at(i)] ? c : o).push_back(i);
    }
  }
};

}  // namespace

Terminal terminal_of_index_1(AlongRun& run, const LinearPoint& p, const Eigen::VectorXd& psi_x) {
  Terminal end;
  if (!run.structured()) {
    end = by_null_spaces(run, p, psi_x);
  } else {
    Eigen::VectorXd mu = psi_x, l = p.by_state;
    const std::vector<bool>& differentiated = run.differentiated();
    for (int i = 0; i < run.size(); ++i)
      if (differentiated[at(i)]) mu[i] = 0.0;
    const bool any = (mu.array() != 0.0).any();
    if (any && !run.solve_mixed(p, true, mu)) singular(p.t);
    const Eigen::VectorXd taken =
        any ? run.times_j_transposed(p, mu) : Eigen::VectorXd::Zero(run.size());
    for (int i = 0; i < run.size(); ++i)
      if (differentiated[at(i)]) l[i] = psi_x[i] - taken[i];
    if (!run.solve_mixed(p, true, l)) singular(p.t);
    end.l = l;
    end.by_parameters = mu;
  }
  const Eigen::VectorXd mu = end.by_parameters;
  Eigen::VectorXd products = Eigen::VectorXd::Zero(run.parameters());
  if ((mu.array() != 0.0).any()) run.add_products(-1.0, p, mu, products);
  end.by_parameters = products;
  return end;
}

Terminal terminal_of_index_2(AlongRun& run, const LinearPoint& p, const Eigen::VectorXd& psi_x,
                             double step) {
  const Eigen::MatrixXd E = run.dense(true, p), J = run.dense(false, p);
  const Blocks b(run, E);
  if (b.d.size() != b.c.size()) singular(p.t);
  const Eigen::MatrixXd Jdo = J(b.d, b.o), Jdc = J(b.d, b.c), Jac = J(b.a, b.c);
  const Eigen::MatrixXd rates = E(b.d, b.c);
  const Eigen::PartialPivLU<Eigen::MatrixXd> Edc(rates), Edc_transposed(rates.transpose());
  const Eigen::MatrixXd R = Edc.solve(Jdo), Q = Edc.solve(Jdc), S = Jac * R;
  const Eigen::FullPivLU<Eigen::MatrixXd> S_transposed(S.transpose());
  if (!S_transposed.isInvertible()) singular(p.t);
  // Derivatives along the solution, of exact matrices.
  const auto moved = [&](double dt) {
    LinearPoint q = p;
    q.t = p.t + dt;
    q.x = p.x + dt * p.xd;
    run.linearise(q);
    run.slopes_of_functional(q);
    return q;
  };
  const LinearPoint up = moved(step), down = moved(-step);
  const Eigen::MatrixXd Jt = (run.dense(false, up) - run.dense(false, down)) / (2.0 * step);
  const Eigen::VectorXd phi_t = (up.by_state - down.by_state) / (2.0 * step);

  Eigen::VectorXd products = Eigen::VectorXd::Zero(run.parameters());
  Eigen::VectorXd row = Eigen::VectorXd::Zero(run.size());
  Eigen::VectorXd psi = psi_x(b.c);
  if ((psi_x(b.o).array() != 0.0).any()) {
    const Eigen::VectorXd rho = S_transposed.solve(Eigen::VectorXd(psi_x(b.o)));
    psi += (Jt(b.a, b.c) - Jac * Q).transpose() * rho;
    row(b.d) = -Edc_transposed.solve(Jac.transpose() * rho);
    run.add_products(1.0, p, row, products);
    row.setZero();
    row(b.a) = rho;
    run.add_products(1.0 / (2.0 * step), up, row, products);
    run.add_products(-1.0 / (2.0 * step), down, row, products);
    row.setZero();
  }
  const Eigen::VectorXd phi_o = p.by_state(b.o);
  const Eigen::VectorXd nu = S_transposed.solve(R.transpose() * psi - phi_o);
  row(b.a) = nu;
  run.add_products(-1.0, p, row, products);

  Terminal end;
  end.l.setZero(run.size());
  const Eigen::VectorXd l_d = Edc_transposed.solve(psi - Jac.transpose() * nu);
  end.l(b.d) = l_d;
  end.l(b.a) = S_transposed.solve(phi_t(b.o) - Jt(b.d, b.o).transpose() * l_d -
                                  R.transpose() *
                                      (Jdc.transpose() * l_d - Eigen::VectorXd(p.by_state(b.c))));
  end.by_parameters = products;
  return end;
}

}  // namespace daedalus
