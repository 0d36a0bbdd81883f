// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/matrix_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <daedalus/types.hpp>

#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Powers of two: scaling then adds no rounding error.
double inverse_scale(double size) {
  return size > 0.0 ? std::exp2(-std::round(std::log2(size))) : 1.0;
}

// diag(rows) M diag(cols) with largest entries near 1 in every row and column.
struct Equilibrated {
  MatrixXd M;
  VectorXd rows, cols;
};

Equilibrated equilibrate(const MatrixXd& M, bool wanted) {
  Equilibrated e{M, VectorXd::Ones(M.rows()), VectorXd::Ones(M.cols())};
  if (!wanted || M.size() == 0) return e;
  for (int pass = 0; pass < 4; ++pass) {
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      const double factor = inverse_scale(e.M.row(i).cwiseAbs().maxCoeff());
      e.M.row(i) *= factor;
      e.rows[i] *= factor;
    }
    for (Eigen::Index j = 0; j < M.cols(); ++j) {
      const double factor = inverse_scale(e.M.col(j).cwiseAbs().maxCoeff());
      e.M.col(j) *= factor;
      e.cols[j] *= factor;
    }
  }
  return e;
}

// Equilibrated singular value decomposition: rank, kernels and, for regular matrices, solutions.
class Decomposition {
 public:
  Decomposition(const MatrixXd& M, const ChainSettings& settings)
      : scaled_(equilibrate(M, settings.equilibrate)),
        svd_(singular_value_decomposition(scaled_.M)) {
    const VectorXd& s = svd_.values;
    const double largest = s.size() > 0 ? s[0] : 0.0;
    decision.size = static_cast<int>(std::min(M.rows(), M.cols()));
    while (decision.rank < decision.size && s[decision.rank] > settings.tolerance * largest)
      ++decision.rank;
    if (decision.rank > 0) decision.kept = s[decision.rank - 1] / largest;
    if (decision.rank < decision.size && largest > 0.0)
      decision.dropped = s[decision.rank] / largest;
  }

  MatrixXd right_kernel() const {
    return scaled_.cols.asDiagonal() * svd_.v.rightCols(svd_.v.cols() - decision.rank);
  }
  MatrixXd left_kernel() const {
    return scaled_.rows.asDiagonal() * svd_.u.rightCols(svd_.u.cols() - decision.rank);
  }
  // Orthogonal in the equilibrated variables.
  MatrixXd kernel_projector() const {
    const MatrixXd V = svd_.v.rightCols(svd_.v.cols() - decision.rank);
    return scaled_.cols.asDiagonal() * (V * V.transpose()) *
           scaled_.cols.cwiseInverse().asDiagonal();
  }
  MatrixXd solve(const MatrixXd& right) const {
    const VectorXd inverse = svd_.values.cwiseInverse();
    return scaled_.cols.asDiagonal() *
           (svd_.v * (inverse.asDiagonal() *
                      (svd_.u.transpose() * (scaled_.rows.asDiagonal() * right).eval())));
  }
  const VectorXd& rows() const { return scaled_.rows; }
  const VectorXd& cols() const { return scaled_.cols; }

  RankDecision decision;

 private:
  Equilibrated scaled_;
  SingularValues svd_;
};

// Columns that span the same space, orthonormal (Gram-Schmidt, twice for full precision).
MatrixXd orthonormal(MatrixXd basis) {
  for (Eigen::Index j = 0; j < basis.cols(); ++j) {
    basis.col(j).normalize();
    for (int pass = 0; pass < 2; ++pass)
      for (Eigen::Index k = 0; k < j; ++k)
        basis.col(j) -= basis.col(k).dot(basis.col(j)) * basis.col(k);
    basis.col(j).normalize();
  }
  return basis;
}

// A sum of products whose terms cancel leaves rounding errors, which equilibration of an otherwise
// empty row would raise to size 1; they are recognised by the size of the terms.
void clean(MatrixXd& M, const MatrixXd& size_of_terms) {
  const double bound = 8.0 * static_cast<double>(M.rows()) * epsilon;
  for (Eigen::Index k = 0; k < M.size(); ++k)
    if (std::abs(M.data()[k]) <= bound * size_of_terms.data()[k]) M.data()[k] = 0.0;
}

MatrixXd sum_with_product(const MatrixXd& M, const MatrixXd& X, const MatrixXd& Y) {
  MatrixXd result = M + X * Y;
  clean(result, M.cwiseAbs() + X.cwiseAbs() * Y.cwiseAbs());
  return result;
}

MatrixXd projector_on(const MatrixXd& orthonormal_basis) {
  MatrixXd Q = orthonormal_basis * orthonormal_basis.transpose();
  clean(Q, MatrixXd::Ones(Q.rows(), Q.cols()));
  return Q;
}

// The geometric mean over the equations of |A| / |B|: a step at which both count.
double step_of(const MatrixXd& A, const MatrixXd& B) {
  double sum = 0.0;
  int count = 0;
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    const double a = A.row(i).cwiseAbs().maxCoeff(), b = B.row(i).cwiseAbs().maxCoeff();
    if (a > 0.0 && b > 0.0) sum += std::log2(a / b), ++count;
  }
  return count > 0 ? std::exp2(std::round(sum / count)) : 1.0;
}

double max_entry(const MatrixXd& M) { return M.size() > 0 ? M.cwiseAbs().maxCoeff() : 0.0; }

bool diagonal_of_ones(const MatrixXd& M, double tolerance) {
  for (Eigen::Index j = 0; j < M.cols(); ++j)
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      const double size = std::abs(M(i, j));
      if (size > tolerance && (i != j || std::abs(M(i, j) - 1.0) > tolerance)) return false;
    }
  return true;
}

void classify(MatrixChain& chain) {
  // Entries of projectors, which are 0 or of size one: half of the digits.
  constexpr double negligible = 1e-8;
  const auto touched = [](const MatrixXd& M, Eigen::Index row) {
    return M.size() > 0 && M.row(row).cwiseAbs().maxCoeff() > negligible;
  };
  chain.kinds.clear();
  for (Eigen::Index i = 0; i < chain.Q.rows(); ++i)
    chain.kinds.push_back(touched(chain.T, i)   ? ComponentKind::algebraic_index2
                          : touched(chain.Q, i) ? ComponentKind::algebraic_index1
                                                : ComponentKind::differential);
  chain.aligned = diagonal_of_ones(chain.Q, negligible) && diagonal_of_ones(chain.T, negligible);
}

void check_arguments(const MatrixXd& A, const MatrixXd& B, const ChainSettings& settings) {
  if (A.rows() != A.cols() || B.rows() != A.rows() || B.cols() != A.cols())
    throw InvalidArgument(
        fmt::format("the matrix chain needs square matrices of equal size, not {} x {} and {} x {}",
                    A.rows(), A.cols(), B.rows(), B.cols()));
  if (!(settings.typical_step >= 0.0))
    throw InvalidArgument(
        fmt::format("typical_step is {}; it must be positive, or 0 for a choice "
                    "by the matrices",
                    settings.typical_step));
  if (!(settings.tolerance > 0.0 && settings.tolerance < 1.0))
    throw InvalidArgument(
        fmt::format("tolerance is {}; it must lie between 0 and 1", settings.tolerance));
}

// The user's projector must be one along the kernel that was found.
MatrixXd given_projector(const MatrixXd& A, const MatrixXd& kernel, const MatrixXd& P) {
  if (P.rows() != A.rows() || P.cols() != A.cols())
    throw InvalidArgument(fmt::format("projector is {} x {}; it must be {} x {}", P.rows(),
                                      P.cols(), A.rows(), A.cols()));
  const double idempotent = max_entry(P * P - P), annihilates = max_entry(P * kernel);
  const double size = 1.0 + max_entry(P);
  if (idempotent > 1e-8 * size * size)
    throw InvalidArgument(
        fmt::format("projector is no projector: an entry of P^2 - P is {}", idempotent));
  const MatrixXd Q = MatrixXd::Identity(P.rows(), P.cols()) - P;
  if (annihilates > 1e-8 * size || std::abs(Q.trace() - static_cast<double>(kernel.cols())) > 1e-6)
    throw InvalidArgument(fmt::format(
        "projector does not belong to the leading matrix: its kernel has dimension {:.3g}, that of "
        "the matrix {}, and it changes vectors of that kernel by up to {:.3g}",
        Q.trace(), kernel.cols(), annihilates));
  return Q;
}

bool regular(const MatrixXd& A, const MatrixXd& B, const ChainSettings& settings) {
  // More than n values of lambda can be eigenvalues only of a singular pencil; three that belong
  // to no simple ratio are practically none.
  for (const double lambda : {1.0, -0.7310585786, 2.6180339887})
    if (Decomposition(lambda * A + B, settings).decision.full()) return true;
  return false;
}

}  // namespace

double RankDecision::gap() const {
  constexpr double largest = 1e16;  // the reciprocal of round-off: a gap to an exact zero
  return dropped > kept / largest ? kept / dropped : largest;
}

double MatrixChain::Residuals::largest() const {
  return std::max({idempotent, admissible, kernel, leading, coupling});
}

Kernels kernels_of(const MatrixXd& M, const ChainSettings& settings) {
  const Decomposition d(M, settings);
  return {d.decision, orthonormal(d.right_kernel()), orthonormal(d.left_kernel())};
}

namespace {

MatrixChain chain_of(const MatrixXd& A, const MatrixXd& B, const ChainSettings& settings) {
  const Eigen::Index n = A.rows();
  MatrixChain c;
  if (!A.allFinite() || !B.allFinite()) return c;
  const MatrixXd identity = MatrixXd::Identity(n, n), zero = MatrixXd::Zero(n, n);
  c.typical_step = settings.typical_step > 0.0 ? settings.typical_step : step_of(A, B);
  const Kernels kernels = kernels_of(A, settings);
  c.a = kernels.decision;
  c.kernel = kernels.right;
  c.Q = settings.projector.size() > 0 ? given_projector(A, c.kernel, settings.projector)
                                      : projector_on(c.kernel);
  c.P = identity - c.Q;
  c.A1 = sum_with_product(A, B, c.Q);
  c.A2 = c.A1;
  c.Q1 = zero;
  c.P1 = identity;
  c.T = zero;
  c.common.resize(n, 0);
  if (c.a.full()) {
    c.index = 0;
    c.regular_pencil = true;
    c.degrees_of_freedom = static_cast<int>(n);
    classify(c);
    return c;
  }

  // In the time t / tau: A / tau takes the place of A. Then P Q1 is the same, and Q Q1, which
  // stands before a derivative, is tau times that of the chain in t.
  const MatrixXd a = A / c.typical_step;
  const MatrixXd a1 = sum_with_product(a, B, c.Q);
  const Decomposition first(a1, settings);
  c.a1 = first.decision;
  if (c.a1.full()) {
    c.index = 1;
    c.regular_pencil = true;
    c.degrees_of_freedom = c.a.rank;
    classify(c);
    return c;
  }

  const MatrixXd BP = sum_with_product(zero, B, c.P);
  const Decomposition second(sum_with_product(a1, BP, first.kernel_projector()), settings);
  c.a2 = second.decision;
  if (!c.a2.full()) {
    c.index = 3;
    c.regular_pencil = regular(a, B, settings);
    c.Q1.resize(0, 0);
    c.P1.resize(0, 0);
    c.T.resize(0, 0);
    classify(c);
    return c;
  }
  c.index = 2;
  c.regular_pencil = true;
  c.degrees_of_freedom = c.a.rank - (static_cast<int>(n) - c.a1.rank);

  // S1 = ker(L^T B P) with L along im A1; the projector onto the columns of Z along it.
  const MatrixXd Z = first.right_kernel();
  const MatrixXd LBP = first.left_kernel().transpose() * BP;
  const MatrixXd q1 = Z * Decomposition(LBP * Z, settings).solve(LBP);
  c.Q1 = c.P * q1 + c.typical_step * (c.Q * q1);
  c.P1 = identity - c.Q1;
  c.A2 = sum_with_product(c.A1, BP, c.Q1);
  c.common = orthonormal(c.Q * Z);
  c.T = sum_with_product(zero, projector_on(c.common), c.Q);

  const auto in_scaled_variables = [&](const MatrixXd& M) {
    return max_entry(first.cols().cwiseInverse().asDiagonal() * M * first.cols().asDiagonal());
  };
  const Decomposition a2(sum_with_product(a1, BP, q1), settings);
  c.residuals.idempotent = in_scaled_variables(q1 * q1 - q1);
  c.residuals.admissible = in_scaled_variables(q1 * c.Q);
  c.residuals.kernel = max_entry(first.rows().asDiagonal() * (a1 * q1) * first.cols().asDiagonal());
  c.residuals.leading = in_scaled_variables(a2.solve(a) - (identity - q1) * c.P);
  c.residuals.coupling = in_scaled_variables(q1 * a2.solve(B) - q1);
  classify(c);
  return c;
}

// How far the ranks of A1 and A2, which depend on the step, are from being others.
double smallest_gap(const MatrixChain& c, double tolerance) {
  const auto gap = [&](const RankDecision& d) { return d.full() ? d.kept / tolerance : d.gap(); };
  return std::min(gap(c.a1), gap(c.a2));
}

}  // namespace

MatrixChain matrix_chain(const MatrixXd& A, const MatrixXd& B, const ChainSettings& settings) {
  check_arguments(A, B, settings);
  MatrixChain chain = chain_of(A, B, settings);
  constexpr double good = 1e-8;    // of the identities: as far as the variables are tested
  constexpr double min_gap = 1e3;  // ranks below are doubtful: no price for better identities
  if (settings.typical_step > 0.0 || chain.index < 2) return chain;
  if (chain.index == 2 && chain.residuals.largest() < good) return chain;
  // Rates of 1e6 make steps of 1e-6 typical, at which equations of index 2 enter A2 as their
  // square, below any tolerance or with few digits. Steps between that and one tell more.
  const double shortest = chain.typical_step;
  for (const double step : {std::sqrt(shortest), 1.0}) {
    ChainSettings longer = settings;
    longer.typical_step = step;
    MatrixChain again = chain_of(A, B, longer);
    const double gap = smallest_gap(again, settings.tolerance);
    if (again.index == 2 && gap >= std::min(min_gap, smallest_gap(chain, settings.tolerance)) &&
        (chain.index > 2 || again.residuals.largest() < chain.residuals.largest()))
      chain = std::move(again);
  }
  return chain;
}

}  // namespace daedalus
