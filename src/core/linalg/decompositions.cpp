// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <complex>
#include <utility>

namespace daedalus {
namespace {

using Qr = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;
using Svd = Eigen::JacobiSVD<Eigen::MatrixXd>;

// A matrix with more rows than columns goes to JacobiSVD as the R of its QR decomposition.
// JacobiSVD would do the same, but makes that decomposition in place of another one, whose memory
// Eigen 3.4 frees twice where there is none for the new one.
Eigen::MatrixXd triangular_factor(const Qr& qr) {
  Eigen::MatrixXd r = Eigen::MatrixXd::Zero(qr.cols(), qr.cols());
  r.triangularView<Eigen::Upper>() = qr.matrixR().topRows(qr.cols());
  return r;
}

SingularValues of_tall(const Eigen::MatrixXd& A) {
  const Qr qr(A);
  const Svd svd(triangular_factor(qr), Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::MatrixXd u = Eigen::MatrixXd::Identity(A.rows(), A.rows());
  u.topLeftCorner(A.cols(), A.cols()) = svd.matrixU();
  u.applyOnTheLeft(qr.householderQ());
  return {svd.singularValues(), std::move(u), qr.colsPermutation() * svd.matrixV()};
}

}  // namespace

void PivotedLu::compute(const Eigen::MatrixXd& A) {
  lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(A);  // anew: Eigen frees twice what it cannot enlarge
}

Eigen::VectorXd PivotedLu::solve(const Eigen::VectorXd& b) const { return lu_.solve(b); }

Eigen::MatrixXd PivotedLu::solve_columns(const Eigen::MatrixXd& B) const { return lu_.solve(B); }

PivotedQr pivoted_qr(const Eigen::MatrixXd& A) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  return {static_cast<int>(qr.rank()), qr.matrixR().diagonal().cwiseAbs(),
          qr.colsPermutation().indices(),
          qr.householderQ() * Eigen::MatrixXd::Identity(A.rows(), A.rows())};
}

Eigen::VectorXd least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.completeOrthogonalDecomposition().solve(b);
}

SingularValues singular_value_decomposition(const Eigen::MatrixXd& A) {
  if (A.size() == 0)  // Eigen cannot
    return {{},
            Eigen::MatrixXd::Identity(A.rows(), A.rows()),
            Eigen::MatrixXd::Identity(A.cols(), A.cols())};
  if (A.rows() > A.cols()) return of_tall(A);
  if (A.rows() < A.cols()) {
    SingularValues s = of_tall(A.transpose());
    s.u.swap(s.v);
    return s;
  }
  const Svd svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
}

Eigen::VectorXd singular_values(const Eigen::MatrixXd& A) {
  if (A.size() == 0) return {};
  if (A.rows() > A.cols()) return Svd(triangular_factor(Qr(A))).singularValues();
  if (A.rows() < A.cols()) return Svd(triangular_factor(Qr(A.transpose()))).singularValues();
  return Svd(A).singularValues();
}

// Read off the generalised real Schur form: Eigen's GeneralizedEigenSolver does the same, but is
// compiled together with eigenvectors in complex arithmetic. A block [[a, b], [c, d]] over
// diag(s, t) is scaled to beta = s t, so that its pair is that of [[a t, b s], [c t, d s]].
PencilEigenvalues pencil_eigenvalues(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  const Eigen::RealQZ<Eigen::MatrixXd> schur(A, B, false);
  const Eigen::MatrixXd &S = schur.matrixS(), &T = schur.matrixT();
  const Eigen::Index n = A.rows();
  PencilEigenvalues result{Eigen::VectorXcd(n), Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    if (i == n - 1 || S(i + 1, i) == 0.0) {
      result.alpha[i] = S(i, i);
      result.beta[i] = T(i, i);
      continue;
    }
    const double s = T(i, i), t = T(i + 1, i + 1);
    const double a = S(i, i) * t, b = S(i, i + 1) * s, c = S(i + 1, i) * t, d = S(i + 1, i + 1) * s;
    const double half = 0.5 * (a - d);
    const std::complex<double> alpha(d + half, std::sqrt(std::abs(half * half + c * b)));
    result.alpha[i] = alpha;
    result.alpha[i + 1] = std::conj(alpha);
    result.beta[i] = result.beta[i + 1] = s * t;
    ++i;
  }
  return result;
}

}  // namespace daedalus
