// SPDX-License-Identifier: BSD-3-Clause
// Small signals: (J + j omega E) X = B at the operating point; poles are the finite eigenvalues.
#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "circuit/circuit_data.hpp"
#include "linalg/complex_solver.hpp"

#include <daedalus/analysis.hpp>

namespace daedalus {

std::vector<SmallSignal> Circuit::small_signals(const std::function<bool()>& cancel) const {
  std::vector<SmallSignal> list;
  const auto& request = data_->assembly->requests.frequencies;
  if (!request)
    throw InvalidArgument("small signals need the frequencies of a line .ac in the netlist");
  if (!data_->direct_point().report.found) return list;
  const circuit::Linearised l = circuit::linearised(*data_, data_->direct_point());
  std::vector<int> place_j, place_e;
  const SparsePattern both = unite(l.j_pattern, l.e_pattern, &place_j, &place_e);
  const auto solver = make_complex_solver(both, both.cols <= 32);
  std::vector<double> matrix(2 * both.row.size());
  for (const double f : request->frequencies()) {
    if (cancel && cancel()) break;
    const double omega = 2.0 * std::numbers::pi * f;
    std::fill(matrix.begin(), matrix.end(), 0.0);
    for (std::size_t k = 0; k < place_j.size(); ++k)
      matrix[2 * static_cast<std::size_t>(place_j[k])] += l.j[k];
    for (std::size_t k = 0; k < place_e.size(); ++k)
      matrix[2 * static_cast<std::size_t>(place_e[k]) + 1] += omega * l.e[k];
    std::vector<double> x(2 * static_cast<std::size_t>(both.cols), 0.0);
    for (const auto& b : data_->assembly->network.excitations) {
      x[2 * static_cast<std::size_t>(b.row)] += b.re;
      x[2 * static_cast<std::size_t>(b.row) + 1] += b.im;
    }
    SmallSignal s;
    s.f = f;
    s.values.assign(static_cast<std::size_t>(both.cols), std::nan(""));
    if (solver->factorise(matrix)) {
      solver->solve(x.data());
      for (std::size_t k = 0; k < s.values.size(); ++k) s.values[k] = {x[2 * k], x[2 * k + 1]};
    }
    list.push_back(std::move(s));
  }
  return list;
}

namespace {

using Complex = std::complex<double>;

// Poles of circuits lie decades apart, and a decomposition of the whole pencil has errors of the
// size of the largest one. Inverse iteration with rows scaled for this pole gives all its digits:
// (s E + J)^-1 E x = x/(s - pole). What does not settle stays as it was.
Complex refined(const Eigen::MatrixXd& e, const Eigen::MatrixXd& j, Complex pole) {
  // Off the pole by enough that the matrix stays regular; each round gains the square.
  constexpr double shift = 1e-7, settled = 1e-13;
  if (pole == 0.0) return pole;
  Complex best = pole;
  for (int round = 0; round < 4; ++round) {
    const Complex s = best * (1.0 + shift);
    Eigen::MatrixXcd m = s * e.cast<Complex>() + j.cast<Complex>();
    Eigen::VectorXd scale(m.rows());
    for (Eigen::Index i = 0; i < m.rows(); ++i)
      scale[i] = 1.0 / std::max(m.row(i).cwiseAbs().maxCoeff(), 1e-300);
    m = scale.asDiagonal() * m;
    const Eigen::MatrixXcd right = (scale.asDiagonal() * e).cast<Complex>();
    const Eigen::PartialPivLU<Eigen::MatrixXcd> lu(m);
    Eigen::VectorXcd x = Eigen::VectorXcd::Ones(m.rows());
    Complex factor = 0.0;
    for (int k = 0; k < 5; ++k) {
      const Eigen::VectorXcd next = lu.solve(right * x);
      factor = x.dot(next) / x.squaredNorm();
      x = next / next.norm();
      if (!x.allFinite()) return pole;
    }
    const Complex found = s - 1.0 / factor;
    if (!(std::abs(found - pole) <= 1e-3 * std::abs(pole))) return pole;
    const double change = std::abs(found - best);
    best = found;
    if (change <= settled * std::abs(best)) break;
  }
  return best;
}

}  // namespace

std::vector<std::complex<double>> Circuit::poles() const {
  const circuit::Linearised l = circuit::linearised(*data_, data_->direct_point());
  const Eigen::Index n = l.j_pattern.cols;
  Eigen::MatrixXd e = Eigen::MatrixXd::Zero(n, n), j = e;
  circuit::add_dense(l.e_pattern, l.e, e);
  circuit::add_dense(l.j_pattern, l.j, j);
  std::vector<Complex> poles = weierstrass_form(e, j).eigenvalues();
  for (Complex& pole : poles) pole = refined(e, j, pole);
  return poles;
}

}  // namespace daedalus
