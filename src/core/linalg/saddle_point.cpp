// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/saddle_point.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>

#include "daedalus/types.hpp"
#include "linalg/solver_kinds.hpp"
#include "linalg/tiled_product.hpp"

namespace daedalus {
namespace {

// Of the diagonal: round-off of a few operations per entry; more is meant.
constexpr double symmetry = 16 * std::numeric_limits<double>::epsilon();
constexpr double min_pivot_share = 1e-8;
constexpr double recovery = 1e-10;
constexpr double mild_condition = 1e-4;

bool is_diagonal(const double* m, int n) {
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < n; ++r)
      if (r != c && m[r + static_cast<std::ptrdiff_t>(c) * n] != 0.0) return false;
  return true;
}

bool is_symmetric(const Eigen::Map<const Eigen::MatrixXd>& m) {
  for (int c = 0; c < m.cols(); ++c)
    for (int r = c + 1; r < m.rows(); ++r) {
      const double difference = m(r, c) - m(c, r);
      // Exact equality is the common case and saves the square roots.
      if (difference != 0.0 &&
          !(std::fabs(difference) <= symmetry * std::sqrt(m(r, r)) * std::sqrt(m(c, c))))
        return false;
    }
  return true;
}

// Calls visit(first row, size, position of the first number) for each block.
template <class Visit>
void for_blocks(std::span<const int> blocks, Visit&& visit) {
  int first = 0;
  std::size_t position = 0;
  for (const int size : blocks) {
    if (!visit(first, size, position)) return;
    first += size;
    position += static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  }
}

std::size_t count_of(std::span<const int> blocks) {
  std::size_t count = 0;
  for (const int size : blocks)
    count += static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  return count;
}

// Columns first .. end - 1 of the n x n factor L, whose earlier columns have been subtracted
// already; `m` is the matrix itself.
bool cholesky_columns(double* l, int n, int first, int end, const double* m, double* inverse) {
  for (int j = first; j < end; ++j) {
    double* column = l + static_cast<std::ptrdiff_t>(j) * n;
    const double before = m[j + static_cast<std::ptrdiff_t>(j) * n];
    if (!(column[j] >= kernel::min_pivot) || !(column[j] >= min_pivot_share * before)) return false;
    inverse[j] = 1.0 / std::sqrt(column[j]);
    for (int i = j + 1; i < n; ++i) column[i] *= inverse[j];
    for (int k = j + 1; k < end; ++k)
      if (column[k] != 0.0)
        kernel::subtract_multiple(l + k + static_cast<std::ptrdiff_t>(k) * n, column + k, column[k],
                                  n - k);
  }
  return true;
}

bool cholesky(double* l, int n, const double* m, double* inverse) {
  std::copy(m, m + static_cast<std::ptrdiff_t>(n) * n, l);
  for (int first = 0; first < n; first += product_depth) {
    const int end = std::min(first + product_depth, n), rest = n - end;
    if (!cholesky_columns(l, n, first, end, m, inverse)) return false;
    if (rest == 0) break;
    const ConstMatrixBlock below(l + static_cast<std::ptrdiff_t>(first) * n + end, rest,
                                 end - first, Eigen::OuterStride<>(n));
    add_product(MatrixBlock(l + end + static_cast<std::ptrdiff_t>(end) * n, rest, rest,
                            Eigen::OuterStride<>(n)),
                -1.0, below, below.transpose(), true);
  }
  return true;
}

int checked(int nv, int nl) {
  if (nv < 1 || nl < 0)
    throw InvalidArgument("SaddlePoint: nv = " + std::to_string(nv) +
                          ", nl = " + std::to_string(nl) + "; nv >= 1 and nl >= 0 are required");
  return nv;
}

}  // namespace

SaddlePoint::SaddlePoint(int nv, int nl, bool always_whole)
    : nv_(checked(nv, nl)),
      nl_(nl),
      always_whole_(always_whole),
      one_block_{nv},
      inverse_(nv),
      row_scale_(nv + nl),
      known_(nv + nl),
      trial_(nv + nl),
      schur_(always_whole ? 0 : nl),
      whole_(nv + nl) {
  if (always_whole) return;
  force_.setZero(nv, nl);
  motion_.setZero(nv, nl);
  // Room for a full M; pages that blocks do not need are never touched.
  const std::size_t full = static_cast<std::size_t>(nv) * static_cast<std::size_t>(nv);
  blocks_.reserve(static_cast<std::size_t>(nv));
  known_mass_.reserve(full);
  cholesky_.reserve(full);
}

SaddlePoint::Mass SaddlePoint::mass_of(const PieceMatrix& M) {
  switch (M.kind()) {
    case PieceMatrix::Kind::blocks:
      return {M.values().data(), M.block_sizes()};
    case PieceMatrix::Kind::dense:
      return {M.values().data(), one_block_};
    case PieceMatrix::Kind::sparse:
      break;
  }
  dense_mass_.resize(nv_, nv_);
  M.copy_to(dense_mass_);
  return {dense_mass_.data(), one_block_};
}

SaddlePoint::Matrix SaddlePoint::dense_of(const PieceMatrix& G, Eigen::MatrixXd& storage) const {
  if (G.kind() == PieceMatrix::Kind::dense) return G.matrix();
  storage.resize(nl_, nv_);
  G.copy_to(storage);
  return {storage.data(), nl_, nv_};
}

bool SaddlePoint::factorise(const PieceMatrix& M, const PieceMatrix& A, const PieceMatrix& B) {
  assert(M.rows() == nv_ && M.cols() == nv_);
  assert(A.rows() == nl_ && A.cols() == nv_ && B.rows() == nl_ && B.cols() == nv_);
  const Mass mass = mass_of(M);
  const Matrix a = dense_of(A, dense_a_);
  return factorise(mass, a, &A == &B ? a : dense_of(B, dense_b_));
}

bool SaddlePoint::factorise(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A,
                            const Eigen::MatrixXd& B) {
  assert(M.rows() == nv_ && M.cols() == nv_);
  assert(A.rows() == nl_ && A.cols() == nv_ && B.rows() == nl_ && B.cols() == nv_);
  return factorise(Mass{M.data(), one_block_}, Matrix(A.data(), nl_, nv_),
                   Matrix(B.data(), nl_, nv_));
}

bool SaddlePoint::factorise(const Mass& M, const Matrix& A, const Matrix& B) {
  singular_column_ = -1;
  const auto finite = [](const double* values, std::size_t count) {
    return all_finite({values, count});
  };
  const auto constraints = static_cast<std::size_t>(nl_) * static_cast<std::size_t>(nv_);
  ready_ = finite(M.values, count_of(M.blocks)) && finite(A.data(), constraints) &&
           finite(B.data(), constraints) &&
           ((!always_whole_ && factorise_structured(M, A, B)) || factorise_full(M, A, B));
  return ready_;
}

bool SaddlePoint::factorise_structured(const Mass& M, const Matrix& A, const Matrix& B) {
  if (!factorise_mass(M)) return false;
  same_directions_ = A.data() == B.data() || A == B;
  force_ = A.transpose();
  half_solve(force_.data(), nl_);
  if (!same_directions_) {
    motion_ = B.transpose();
    half_solve(motion_.data(), nl_);
  }
  const Eigen::MatrixXd& motion = same_directions_ ? force_ : motion_;
  MatrixBlock schur(schur_.data(), nl_, nl_, Eigen::OuterStride<>(nl_));
  schur.setZero();
  add_product(schur, 1.0, motion.transpose(), force_);
  if (!schur_.factorise()) return false;
  const double spread = inverse_.minCoeff() / inverse_.maxCoeff();
  return nl_ == 0 || spread * spread * schur_.reciprocal_condition() >= mild_condition ||
         recovers_known_solution(M, A, B);
}

bool SaddlePoint::factorise_mass(const Mass& M) {
  const std::size_t count = count_of(M.blocks);
  const bool same_blocks =
      std::equal(M.blocks.begin(), M.blocks.end(), blocks_.begin(), blocks_.end());
  if (same_blocks && std::equal(known_mass_.begin(), known_mass_.end(), M.values)) {
    path_ = mass_path_;
    return mass_regular_;
  }
  blocks_.assign(M.blocks.begin(), M.blocks.end());
  known_mass_.assign(M.values, M.values + count);
  cholesky_.resize(count);
  ++mass_factorisations_;
  bool diagonal = true;
  for_blocks(M.blocks, [&](int, int size, std::size_t at) {
    diagonal = size == 1 || is_diagonal(M.values + at, size);
    return diagonal;
  });
  path_ = mass_path_ = diagonal ? Path::diagonal : Path::cholesky;
  mass_regular_ = true;
  for_blocks(M.blocks, [&](int first, int size, std::size_t at) {
    const double* m = M.values + at;
    if (!diagonal) {
      mass_regular_ = is_symmetric({m, size, size}) &&
                      cholesky(cholesky_.data() + at, size, m, inverse_.data() + first);
      return mass_regular_;
    }
    for (int j = 0; j < size && mass_regular_; ++j) {
      const double pivot = m[j + static_cast<std::ptrdiff_t>(j) * size];
      mass_regular_ = pivot >= kernel::min_pivot;
      inverse_[first + j] = 1.0 / std::sqrt(pivot);
    }
    return mass_regular_;
  });
  return mass_regular_;
}

// Two columns of L at a time, all right-hand sides for each pair.
void SaddlePoint::half_solve(double* x, int count) const {
  if (path_ == Path::diagonal) {
    Eigen::Map<Eigen::MatrixXd> all(x, nv_, count);
    all.array().colwise() *= inverse_.array();
    return;
  }
  for_blocks(blocks_, [&](int first, int n, std::size_t at) {
    const double* inverse = inverse_.data() + first;
    for (int j = 0; j < n; j += 2) {
      const double* left = cholesky_.data() + at + static_cast<std::ptrdiff_t>(j) * n;
      const double* right = left + n;
      for (int c = 0; c < count; ++c) {
        double* column = x + static_cast<std::ptrdiff_t>(c) * nv_ + first;
        column[j] *= inverse[j];
        if (j + 1 == n) continue;
        column[j + 1] = (column[j + 1] - left[j + 1] * column[j]) * inverse[j + 1];
        kernel::subtract_multiples(column + j + 2, left + j + 2, column[j], right + j + 2,
                                   column[j + 1], n - j - 2);
      }
    }
    return true;
  });
}

void SaddlePoint::half_solve_back(double* x) const {
  Eigen::Map<Eigen::VectorXd> v(x, nv_);
  if (path_ == Path::diagonal) {
    v.array() *= inverse_.array();
    return;
  }
  for_blocks(blocks_, [&](int first, int n, std::size_t at) {
    for (int j = n - 1; j >= 0; --j) {
      const int below = n - j - 1;
      const Eigen::Map<const Eigen::VectorXd> l(
          cholesky_.data() + at + static_cast<std::ptrdiff_t>(j) * n + j + 1, below);
      v[first + j] = (v[first + j] - l.dot(v.segment(first + j + 1, below))) * inverse_[first + j];
    }
    return true;
  });
}

bool SaddlePoint::recovers_known_solution(const Mass& M, const Matrix& A, const Matrix& B) {
  auto x = known_.head(nv_), r = trial_.head(nv_);
  auto y = known_.tail(nl_), s = trial_.tail(nl_);
  for (int j = 0; j < nv_; ++j) x[j] = j % 2 == 0 ? 1.0 : -1.0;
  for_blocks(M.blocks, [&](int first, int size, std::size_t at) {
    r.segment(first, size).noalias() = Matrix(M.values + at, size, size) * x.segment(first, size);
    return true;
  });
  const double load = r.lpNorm<Eigen::Infinity>();
  for (int i = 0; i < nl_; ++i) {
    const double size = A.row(i).lpNorm<Eigen::Infinity>();
    y[i] = size > 0 ? load / size : 0.0;
  }
  r.noalias() += A.transpose() * y;
  s.noalias() = B * x;
  solve(trial_.data());
  return (r - x).lpNorm<Eigen::Infinity>() <= recovery;
}

bool SaddlePoint::factorise_full(const Mass& M, const Matrix& A, const Matrix& B) {
  path_ = Path::full;
  double* k = whole_.data();
  const int n = nv_ + nl_;
  std::fill_n(k, static_cast<std::ptrdiff_t>(n) * n, 0.0);
  for_blocks(M.blocks, [&](int first, int size, std::size_t at) {
    const double* m = M.values + at;
    for (int c = 0; c < size; ++c)
      for (int r = 0; r < size; ++r) whole_.at(first + r, first + c) = *m++;
    return true;
  });
  for (int c = 0; c < nv_; ++c)
    for (int r = 0; r < nl_; ++r) {
      whole_.at(nv_ + r, c) = B(r, c);
      whole_.at(c, nv_ + r) = A(r, c);
    }
  row_scale_.setZero();
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < n; ++r)
      row_scale_[r] = std::max(row_scale_[r], std::fabs(k[r + static_cast<std::ptrdiff_t>(c) * n]));
  for (double& size : row_scale_) size = kernel::usable_pivot(size) ? 1.0 / size : 1.0;
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < n; ++r) k[r + static_cast<std::ptrdiff_t>(c) * n] *= row_scale_[r];
  if (whole_.factorise()) return true;
  singular_column_ = whole_.singular_column();
  return false;
}

void SaddlePoint::solve(double* xy) {
  if (path_ == Path::full) {
    for (int i = 0; i < nv_ + nl_; ++i) xy[i] *= row_scale_[i];
    whole_.solve(xy);
    return;
  }
  double *x = xy, *y = xy + nv_;
  half_solve(x, 1);
  const Eigen::MatrixXd& motion = same_directions_ ? force_ : motion_;
  Eigen::Map<Eigen::VectorXd> half(x, nv_);
  for (int i = 0; i < nl_; ++i) y[i] = motion.col(i).dot(half) - y[i];
  schur_.solve(y);
  for (int i = 0; i < nl_; ++i) half -= y[i] * force_.col(i);
  half_solve_back(x);
}

double SaddlePoint::reciprocal_condition() const {
  if (!ready_) return std::numeric_limits<double>::quiet_NaN();
  if (path_ == Path::full) return whole_.reciprocal_condition();
  return nl_ > 0 ? schur_.reciprocal_condition() : 1.0;
}

}  // namespace daedalus
