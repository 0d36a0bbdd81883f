// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/pencil_form_staircase.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Powers of two: scaling then adds no rounding error.
double inverse_scale(double size) {
  return size > 0.0 ? std::exp2(-std::round(std::log2(size))) : 1.0;
}

double largest(const MatrixXd& M) { return M.size() > 0 ? M.cwiseAbs().maxCoeff() : 0.0; }

struct Balanced {
  MatrixXd A, B;
  VectorXd rows, columns;
  double tau = 1.0;
};

// Rows and columns of [A / tau, B] with largest entries near one, A / tau and B of like size.
Balanced balance(const MatrixXd& A, const MatrixXd& B) {
  const Index n = A.rows();
  Balanced b{A, B, VectorXd::Ones(n), VectorXd::Ones(n), 1.0};
  for (int pass = 0; pass < 6; ++pass) {
    // Of rows that contain both, the typical ratio: one row in other units must not decide.
    std::vector<double> ratios;
    for (Index i = 0; i < n; ++i) {
      const double a = largest(b.A.row(i)), other = largest(b.B.row(i));
      if (a > 0.0 && other > 0.0) ratios.push_back(a / other);
    }
    if (!ratios.empty()) {
      const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
      std::nth_element(ratios.begin(), middle, ratios.end());
      const double factor = inverse_scale(*middle);
      b.A *= factor;
      b.tau /= factor;
    }
    for (Index i = 0; i < n; ++i) {
      const double factor = inverse_scale(std::max(largest(b.A.row(i)), largest(b.B.row(i))));
      b.A.row(i) *= factor;
      b.B.row(i) *= factor;
      b.rows[i] *= factor;
    }
    for (Index j = 0; j < n; ++j) {
      const double factor = inverse_scale(std::max(largest(b.A.col(j)), largest(b.B.col(j))));
      b.A.col(j) *= factor;
      b.B.col(j) *= factor;
      b.columns[j] *= factor;
    }
  }
  return b;
}

struct Cut {
  int rank = 0;
  double gap = 1e16;
};

// `floor`: what rounding errors of the transformations leave of a zero.
Cut cut(const VectorXd& values, double tolerance, double floor) {
  Cut c;
  const double least = std::max(values.size() > 0 ? tolerance * values[0] : 0.0, floor);
  while (c.rank < values.size() && values[c.rank] > least) ++c.rank;
  const double kept = c.rank > 0 ? values[c.rank - 1] : 0.0;
  const double dropped = c.rank < values.size() ? values[c.rank] : 0.0;
  // A full rank is as clear as its smallest value stands above the limit, a zero as it lies below.
  if (c.rank == values.size())
    c.gap = kept > 0.0 ? std::min(1e16, kept / least) : 1e16;
  else if (c.rank == 0)
    c.gap = dropped > 0.0 ? std::min(1e16, least / dropped * 1e3) : 1e16;
  else
    c.gap = dropped > 0.0 ? std::min(1e16, kept / dropped) : 1e16;
  return c;
}

}  // namespace

Staircase staircase(const MatrixXd& A_in, const MatrixXd& B_in, double tolerance) {
  const Index n = A_in.rows();
  const Balanced balanced = balance(A_in, B_in);
  Staircase s;
  s.tau = balanced.tau;
  s.A = balanced.A;
  s.B = balanced.B;
  s.left = balanced.rows.asDiagonal();
  s.right = balanced.columns.asDiagonal();
  const double floor =
      4e-15 * static_cast<double>(std::max<Index>(n, 4)) * std::max(largest(s.A), largest(s.B));
  Index m = n;  // size of what is left
  for (s.index = 0;; ++s.index) {
    if (m == 0) {
      s.regular = true;
      break;
    }
    const SingularValues a = singular_value_decomposition(s.A.topLeftCorner(m, m));
    const Cut rank = cut(a.values, tolerance, floor);
    s.gap = std::min(s.gap, rank.gap);
    s.ranks.push_back(rank.rank);
    if (rank.rank == m) {
      s.regular = true;
      break;
    }
    const Index kept = rank.rank, rest = m - kept;
    // Rows: those along the range of A first. What is above the staircase below stays untouched.
    const MatrixXd Ut = a.u.transpose();
    s.A.topRows(m) = (Ut * s.A.topRows(m)).eval();
    s.B.topRows(m) = (Ut * s.B.topRows(m)).eval();
    s.left.topRows(m) = (Ut * s.left.topRows(m)).eval();
    s.A.block(kept, 0, rest, m).setZero();
    // Columns: those that the rows without derivatives do not see first.
    const SingularValues b = singular_value_decomposition(s.B.block(kept, 0, rest, m));
    const Cut full = cut(b.values, tolerance, floor);
    s.gap = std::min(s.gap, full.gap);
    if (full.rank < rest) {
      s.missing = static_cast<int>(rest) - full.rank;
      s.equations = s.left.middleRows(kept, rest).transpose() * b.u.col(rest - 1);
      s.index = -1;
      return s;
    }
    MatrixXd V(m, m);
    V << b.v.rightCols(m - rest), b.v.leftCols(rest);
    s.A.leftCols(m) = (s.A.leftCols(m) * V).eval();
    s.B.leftCols(m) = (s.B.leftCols(m) * V).eval();
    s.right.leftCols(m) = (s.right.leftCols(m) * V).eval();
    s.B.block(kept, 0, rest, kept).setZero();
    m = kept;
  }
  s.finite = static_cast<int>(m);
  return s;
}

}  // namespace daedalus
