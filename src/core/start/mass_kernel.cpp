// SPDX-License-Identifier: BSD-3-Clause
#include "start/mass_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/decompositions.hpp"

namespace daedalus {
namespace {

// Largest entries of rows and columns brought to one; returns the factors of the rows.
Eigen::VectorXd equilibrate(Eigen::MatrixXd& A) {
  Eigen::VectorXd rows = Eigen::VectorXd::Ones(A.rows());
  for (int pass = 0; pass < 3; ++pass) {
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      if (const double size = A.row(i).cwiseAbs().maxCoeff(); size > 0.0)
        A.row(i) /= size, rows[i] /= size;
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      if (const double size = A.col(j).cwiseAbs().maxCoeff(); size > 0.0) A.col(j) /= size;
  }
  return rows;
}

// Zero rows, while every other row has one entry, in a column of its own: nothing to compute.
bool plain_structure(const Eigen::MatrixXd& M, std::vector<int>& zero) {
  std::vector<bool> taken(static_cast<std::size_t>(M.cols()));
  bool plain = true;
  for (int i = 0; i < M.rows(); ++i) {
    int entries = 0, column = 0;
    for (int j = 0; j < M.cols(); ++j)
      if (M(i, j) != 0.0) ++entries, column = j;
    if (entries == 0) {
      zero.push_back(i);
      continue;
    }
    const auto c = static_cast<std::size_t>(column);
    plain = plain && entries == 1 && !taken[c];
    taken[c] = true;
  }
  return plain;
}

// Unit entries at k rows, zeros at these rows in the other columns.
void reduce(Eigen::MatrixXd& W) {
  const Eigen::Index k = W.cols();
  const PivotedQr qr = pivoted_qr(W.transpose());
  Eigen::MatrixXd square(k, k);
  for (Eigen::Index i = 0; i < k; ++i) square.row(i) = W.row(qr.columns[i]);
  W = PivotedLu(square.transpose()).solve_columns(W.transpose()).transpose();
}

std::string name_of(const Eigen::VectorXd& w, const std::vector<std::string>& equations) {
  // Sums of more equations are not read.
  constexpr int max_terms = 4;
  std::string text;
  int terms = 0;
  for (Eigen::Index i = 0; i < w.size(); ++i) {
    if (w[i] == 0.0) continue;
    if (++terms > max_terms) return text + " + ...";
    const bool unit = std::abs(std::abs(w[i]) - 1.0) < 1e-10;
    const char* sign = w[i] < 0.0 ? "- " : terms > 1 ? "+ " : "";
    text += fmt::format("{}{}{}{}", terms > 1 ? " " : "", sign,
                        unit ? std::string() : fmt::format("{:.3g} ", std::abs(w[i])),
                        equations[static_cast<std::size_t>(i)]);
  }
  return text;
}

}  // namespace

MassKernel mass_kernel(const Eigen::MatrixXd& mass, const std::vector<std::string>& equations) {
  const int n = static_cast<int>(mass.rows());
  MassKernel result;
  std::vector<int> zero;
  if (plain_structure(mass, zero)) {
    result.rank = n - static_cast<int>(zero.size());
    result.basis.setZero(n, static_cast<Eigen::Index>(zero.size()));
    for (std::size_t k = 0; k < zero.size(); ++k)
      result.basis(zero[k], static_cast<Eigen::Index>(k)) = 1.0;
  } else {
    Eigen::MatrixXd scaled = mass;
    const Eigen::VectorXd rows = equilibrate(scaled);
    const PivotedQr qr = pivoted_qr(scaled);
    const Eigen::VectorXd& pivots = qr.pivots;
    const double threshold = n * std::numeric_limits<double>::epsilon() * pivots[0];
    while (result.rank < n && pivots[result.rank] > threshold) ++result.rank;
    if (result.rank < n) result.neglected = pivots[result.rank] / pivots[result.rank - 1];
    result.counted = pivots[result.rank - 1] / pivots[0];
    Eigen::MatrixXd& W = result.basis;
    W = qr.q.rightCols(n - result.rank);
    if (W.cols() > 0) reduce(W);
    W = rows.asDiagonal() * W;
    for (auto column : W.colwise()) {
      column /= column.cwiseAbs().maxCoeff();
      for (double& w : column)
        if (std::abs(w) < 1e-12) w = 0.0;
      Eigen::Index first = 0;
      while (column[first] == 0.0) ++first;
      if (column[first] < 0.0) column *= -1.0;
    }
  }
  for (Eigen::Index k = 0; k < result.basis.cols(); ++k)
    result.names.push_back(name_of(result.basis.col(k), equations));
  return result;
}

}  // namespace daedalus
