// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/index_directions.hpp"

#include <algorithm>

#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Kernel and range of a matrix of products whose terms have the sizes `terms`: what is small beside
// them is a rounding error, also where all of the matrix is.
struct SmallMatrix {
  SmallMatrix(const MatrixXd& M, const MatrixXd& terms, double tolerance)
      : rows(VectorXd::Ones(M.rows())) {
    for (Eigen::Index i = 0; i < M.rows(); ++i)
      if (const double size = terms.row(i).maxCoeff(); size > 0.0) rows[i] = 1.0 / size;
    svd = singular_value_decomposition(rows.asDiagonal() * M);
    const Eigen::Index most = std::min(M.rows(), M.cols());
    while (rank < most && svd.values[rank] > tolerance) ++rank;
  }
  MatrixXd right_kernel() const { return svd.v.rightCols(svd.v.cols() - rank); }
  MatrixXd left_kernel() const { return rows.asDiagonal() * svd.u.rightCols(svd.u.cols() - rank); }
  // The shortest solution of M x = b.
  MatrixXd solve(const MatrixXd& b) const {
    const MatrixXd y = svd.u.leftCols(rank).transpose() * (rows.asDiagonal() * b);
    return svd.v.leftCols(rank) * (svd.values.head(rank).cwiseInverse().asDiagonal() * y);
  }
  VectorXd rows;
  SingularValues svd;
  Eigen::Index rank = 0;
};

MatrixXd beside(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd both(a.rows(), a.cols() + b.cols());
  both << a, b;
  return both;
}

}  // namespace

IndexDirections index_directions(const MatrixXd& E, const MatrixXd& J,
                                 const ChainSettings& settings) {
  const Eigen::Index n = E.rows();
  IndexDirections d;
  d.differentiated.resize(n, 0);
  d.twice.resize(n, 0);
  const Kernels kernels = kernels_of(E, settings);
  const MatrixXd &K = kernels.right, &L = kernels.left;
  if (kernels.decision.full()) return d;
  const MatrixXd rows = L.transpose() * J, size = L.cwiseAbs().transpose() * J.cwiseAbs();
  d.index = 1;
  const SmallMatrix first(rows * K, size * K.cwiseAbs(), settings.tolerance);
  const MatrixXd K2 = K * first.right_kernel();
  if (K2.cols() == 0) return d;
  d.index = 2;
  d.differentiated = K2;
  // E x2 = J k: the shortest x2, and the part in K that makes J x2 a vector of im E.
  const SmallMatrix leading(E, E.cwiseAbs(), settings.tolerance);
  const MatrixXd X2 = leading.solve(J * K2), L2 = first.left_kernel();
  const SmallMatrix second(L2.transpose() * (rows * X2),
                           L2.cwiseAbs().transpose() * (size * X2.cwiseAbs()), settings.tolerance);
  const MatrixXd c = second.right_kernel();
  if (c.cols() == 0) return d;
  d.index = 3;
  d.twice = K2 * c;
  const MatrixXd x2 = X2 * c - K * first.solve(rows * (X2 * c));
  d.differentiated = beside(K2, x2);
  const MatrixXd X3 = leading.solve(J * x2), L3 = L2 * second.left_kernel();
  const SmallMatrix third(L3.transpose() * (rows * X3),
                          L3.cwiseAbs().transpose() * (size * X3.cwiseAbs()), settings.tolerance);
  if (third.rank < c.cols()) d.index = 4;
  return d;
}

MatrixXd projector_on_columns(const MatrixXd& columns) {
  const MatrixXd q = singular_value_decomposition(columns).u.leftCols(columns.cols());
  return q * q.transpose();
}

}  // namespace daedalus
