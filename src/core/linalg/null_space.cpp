// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/null_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/solver_kinds.hpp"
#include "linalg/tiled_product.hpp"

namespace daedalus {
namespace {

// Of the largest entry of the row before elimination: round-off of a few dozen operations.
constexpr double rank_tolerance = 1e-14;

MatrixBlock block(Eigen::MatrixXd& m, int r, int c, int rows, int cols) {
  return {m.data() + r + static_cast<std::ptrdiff_t>(c) * m.rows(), rows, cols,
          Eigen::OuterStride<>(m.rows())};
}

}  // namespace

void NullSpace::Kernel::reserve(int nv, int nl) {
  lu.setZero(nv, nl);
  n.setZero(nv - nl, nl);
  row.resize(static_cast<std::size_t>(nv));
  inverse.resize(static_cast<std::size_t>(nl));
  largest.resize(static_cast<std::size_t>(nl));
}

int NullSpace::Kernel::factorise(const PieceMatrix& C) {
  const int nv = static_cast<int>(lu.rows()), nl = static_cast<int>(lu.cols());
  lu.setZero();
  C.for_each([&](int r, int c, double value) { lu(c, r) = value; });
  std::iota(row.begin(), row.end(), 0);
  for (int k = 0; k < nl; ++k)
    largest[static_cast<std::size_t>(k)] = lu.col(k).cwiseAbs().maxCoeff();
  for (int first = 0; first < nl; first += product_depth) {
    const int end = std::min(first + product_depth, nl);
    for (int k = first; k < end; ++k) {
      double* pivots = lu.data() + static_cast<std::ptrdiff_t>(k) * nv;
      int best = k;
      for (int i = k + 1; i < nv; ++i)
        if (std::fabs(pivots[i]) > std::fabs(pivots[best])) best = i;
      const double size = std::fabs(pivots[best]);
      if (!kernel::usable_pivot(size) ||
          !(size > rank_tolerance * largest[static_cast<std::size_t>(k)]))
        return k;
      if (best != k) {
        lu.row(k).swap(lu.row(best));
        std::swap(row[static_cast<std::size_t>(k)], row[static_cast<std::size_t>(best)]);
      }
      const double inverse_k = inverse[static_cast<std::size_t>(k)] = 1.0 / pivots[k];
      for (int i = k + 1; i < nv; ++i) pivots[i] *= inverse_k;
      for (int j = k + 1; j < end; ++j) {
        double* column = lu.data() + static_cast<std::ptrdiff_t>(j) * nv;
        if (column[k] != 0.0)
          kernel::subtract_multiple(column + k + 1, pivots + k + 1, column[k], nv - k - 1);
      }
    }
    for (int j = end; j < nl; ++j) {
      double* column = lu.data() + static_cast<std::ptrdiff_t>(j) * nv;
      for (int k = first; k < end; ++k)
        if (column[k] != 0.0)
          kernel::subtract_multiple(column + k + 1,
                                    lu.data() + static_cast<std::ptrdiff_t>(k) * nv + k + 1,
                                    column[k], end - k - 1);
    }
    if (end < nl)
      add_product(block(lu, end, end, nv - end, nl - end), -1.0,
                  block(lu, end, first, nv - end, end - first),
                  block(lu, first, end, end - first, nl - end));
  }
  find_n();
  return -1;
}

// N L1 = L2, columns from the last one; panels so that most of the work is a product.
void NullSpace::Kernel::find_n() {
  const int nl = static_cast<int>(lu.cols()), nz = static_cast<int>(n.rows());
  if (nz == 0 || nl == 0) return;
  n = lu.bottomRows(nz);
  for (int end = nl; end > 0; end -= product_depth) {
    const int first = std::max(end - product_depth, 0), width = end - first;
    if (end < nl)
      add_product(block(n, 0, first, nz, width), -1.0, block(n, 0, end, nz, nl - end),
                  block(lu, end, first, nl - end, width));
    for (int c = end - 2; c >= first; --c)
      for (int k = c + 1; k < end; ++k)
        if (lu(k, c) != 0.0) kernel::subtract_multiple(&n(0, c), &n(0, k), lu(k, c), nz);
  }
}

NullSpace::NullSpace(int nv, int nl)
    : nv_(nv),
      nl_(nl),
      nz_(nv - nl),
      basis_(Eigen::MatrixXd::Zero(nv, nz_)),
      product_(nv, nz_),
      gathered_(nz_, nz_),
      top_(nl, nz_),
      reduced_(nz_),
      scale_(nz_),
      work_(nv),
      moved_(nv),
      free_(nz_),
      rest_(nv) {
  force_.reserve(nv, nl);
  motion_.reserve(nv, nl);
}

bool NullSpace::factorise(const PieceMatrix& M, const PieceMatrix& A, const PieceMatrix& B) {
  singular_column_ = -1;
  ready_ = false;
  if (!all_finite(M.values()) || !all_finite(A.values()) || !all_finite(B.values())) return false;
  same_ = &A == &B || (A.same_structure(B) && A.same_values(B));
  for (Kernel* k : {&motion_, same_ ? nullptr : &force_}) {
    if (!k) continue;
    const int dependent = k->factorise(k == &motion_ ? B : A);
    if (dependent < 0) continue;
    singular_column_ = nv_ + dependent;
    return false;
  }
  M_ = M;
  reduce(M);
  if (!reduced_.factorise()) {
    const int column = reduced_.singular_column();
    if (column >= 0) singular_column_ = motion_.row[static_cast<std::size_t>(nl_ + column)];
    return false;
  }
  ready_ = true;
  return true;
}

void NullSpace::reduce(const PieceMatrix& M) {
  basis_.setZero();
  for (int i = 0; i < nl_; ++i)
    for (int j = 0; j < nz_; ++j)
      basis_(motion_.row[static_cast<std::size_t>(i)], j) = -motion_.n(j, i);
  for (int j = 0; j < nz_; ++j) basis_(motion_.row[static_cast<std::size_t>(nl_ + j)], j) = 1.0;
  product_.setZero();
  if (M.kind() == PieceMatrix::Kind::dense)
    add_product(block(product_, 0, 0, nv_, nz_), 1.0, M.matrix(), basis_);
  else
    for (int j = 0; j < nz_; ++j) M.add_times(1.0, &basis_(0, j), &product_(0, j));
  const Kernel& a = pushes();
  for (int j = 0; j < nz_; ++j) {
    for (int i = 0; i < nl_; ++i) top_(i, j) = product_(a.row[static_cast<std::size_t>(i)], j);
    for (int i = 0; i < nz_; ++i)
      gathered_(i, j) = product_(a.row[static_cast<std::size_t>(nl_ + i)], j);
  }
  add_product(block(gathered_, 0, 0, nz_, nz_), -1.0, a.n, top_);
  for (int i = 0; i < nz_; ++i) {
    const double size = gathered_.row(i).lpNorm<Eigen::Infinity>();
    scale_[i] = kernel::usable_pivot(size) ? 1.0 / size : 1.0;
  }
  for (int j = 0; j < nz_; ++j)
    for (int i = 0; i < nz_; ++i) reduced_.at(i, j) = scale_[i] * gathered_(i, j);
}

void NullSpace::solve(double* xy) {
  double *r = xy, *s = xy + nv_;
  const auto index = [](int i) { return static_cast<std::size_t>(i); };
  // U^T L1^T x1 = s.
  for (int k = 0; k < nl_; ++k) {
    const double sum = s[k] - motion_.lu.col(k).head(k).dot(moved_.head(k));
    moved_[k] = sum * motion_.inverse[index(k)];
  }
  for (int k = nl_ - 1; k >= 0; --k) {
    const int below = nl_ - k - 1;
    moved_[k] -= motion_.lu.col(k).segment(k + 1, below).dot(moved_.segment(k + 1, below));
  }
  work_.setZero();
  for (int i = 0; i < nl_; ++i) work_[motion_.row[index(i)]] = moved_[i];
  const Kernel& a = pushes();
  // r - M x_p, seen by the kernel of A.
  std::copy(r, r + nv_, rest_.data());
  M_.add_times(-1.0, work_.data(), rest_.data());
  for (int i = 0; i < nz_; ++i) free_[i] = rest_[a.row[index(nl_ + i)]];
  for (int k = 0; k < nl_; ++k) {
    const double value = rest_[a.row[index(k)]];
    if (value != 0.0) free_ -= value * a.n.col(k);
  }
  free_.array() *= scale_.array();
  if (nz_ > 0) reduced_.solve(free_.data());
  for (int k = 0; k < nl_; ++k) work_[motion_.row[index(k)]] -= motion_.n.col(k).dot(free_);
  for (int i = 0; i < nz_; ++i) work_[motion_.row[index(nl_ + i)]] = free_[i];
  // L1 U y = (r - M x) in the leading rows of A's order.
  std::copy(r, r + nv_, rest_.data());
  M_.add_times(-1.0, work_.data(), rest_.data());
  for (int k = 0; k < nl_; ++k) moved_[k] = rest_[a.row[index(k)]];
  for (int k = 0; k < nl_; ++k) {
    const int below = nl_ - k - 1;
    moved_.segment(k + 1, below) -= moved_[k] * a.lu.col(k).segment(k + 1, below);
  }
  for (int k = nl_ - 1; k >= 0; --k) {
    moved_[k] *= a.inverse[index(k)];
    moved_.head(k) -= moved_[k] * a.lu.col(k).head(k);
  }
  std::copy(work_.data(), work_.data() + nv_, r);
  std::copy(moved_.data(), moved_.data() + nl_, s);
}

double NullSpace::reciprocal_condition() const {
  if (!ready_) return std::numeric_limits<double>::quiet_NaN();
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
  for (int k = 0; k < nl_; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double share = 1.0 / (std::fabs(motion_.inverse[i]) * motion_.largest[i]);
    smallest = std::min(smallest, share);
    largest = std::max(largest, share);
  }
  const double constraints = nl_ > 0 ? smallest / largest : 1.0;
  return nz_ > 0 ? std::min(constraints, reduced_.reciprocal_condition()) : constraints;
}

}  // namespace daedalus
