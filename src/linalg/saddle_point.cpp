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

constexpr double symmetry = 16 * std::numeric_limits<double>::epsilon();
constexpr double least_pivot_share = 1e-8;
constexpr double recovery = 1e-10;
constexpr double mild_condition = 1e-4;

bool is_diagonal(const Eigen::MatrixXd& m) {
  for (int c = 0; c < m.cols(); ++c)
    for (int r = 0; r < m.rows(); ++r)
      if (r != c && m(r, c) != 0.0) return false;
  return true;
}

bool is_symmetric(const Eigen::MatrixXd& m) {
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

bool finite(const Eigen::MatrixXd& m) {
  return all_finite({m.data(), static_cast<std::size_t>(m.size())});
}

int checked(int nv, int nl) {
  if (nv < 1 || nl < 0)
    throw InvalidArgument("SaddlePoint: nv = " + std::to_string(nv) +
                          ", nl = " + std::to_string(nl) + "; nv >= 1 and nl >= 0 are required");
  return nv;
}

}  // namespace

SaddlePoint::SaddlePoint(int nv, int nl)
    : nv_(checked(nv, nl)),
      nl_(nl),
      cholesky_(nv, nv),
      inverse_(nv),
      force_(nv, nl),
      motion_(nv, nl),
      row_scale_(nv + nl),
      known_(nv + nl),
      trial_(nv + nl),
      schur_(nl),
      whole_(nv + nl) {}

bool SaddlePoint::factorise(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A,
                            const Eigen::MatrixXd& B) {
  assert(M.rows() == nv_ && M.cols() == nv_);
  assert(A.rows() == nl_ && A.cols() == nv_ && B.rows() == nl_ && B.cols() == nv_);
  singular_column_ = -1;
  ready_ = finite(M) && finite(A) && finite(B) &&
           (factorise_structured(M, A, B) || factorise_full(M, A, B));
  return ready_;
}

bool SaddlePoint::factorise(const PieceMatrix& M, const PieceMatrix& A, const PieceMatrix& B) {
  return factorise(Eigen::MatrixXd(M.matrix()), Eigen::MatrixXd(A.matrix()),
                   Eigen::MatrixXd(B.matrix()));
}

bool SaddlePoint::factorise_structured(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A,
                                       const Eigen::MatrixXd& B) {
  path_ = is_diagonal(M) ? Path::diagonal : Path::cholesky;
  if (!factorise_mass(M)) return false;
  same_directions_ = &A == &B || A == B;
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

bool SaddlePoint::factorise_mass(const Eigen::MatrixXd& M) {
  if (path_ == Path::diagonal) {
    for (int j = 0; j < nv_; ++j) {
      if (!(M(j, j) >= kernel::smallest_pivot)) return false;
      inverse_[j] = 1.0 / std::sqrt(M(j, j));
    }
    return true;
  }
  if (!is_symmetric(M)) return false;
  cholesky_ = M;
  for (int first = 0; first < nv_; first += product_depth) {
    const int end = std::min(first + product_depth, nv_), rest = nv_ - end;
    if (!cholesky_columns(first, end, M)) return false;
    const ConstMatrixBlock below(&cholesky_.coeffRef(0, first) + end, rest, end - first,
                                 Eigen::OuterStride<>(nv_));
    if (rest > 0)
      add_product(MatrixBlock(&cholesky_(end, end), rest, rest, Eigen::OuterStride<>(nv_)), -1.0,
                  below, below.transpose(), true);
  }
  return true;
}

// Columns first .. end - 1 of L, whose earlier columns have been subtracted already.
bool SaddlePoint::cholesky_columns(int first, int end, const Eigen::MatrixXd& M) {
  for (int j = first; j < end; ++j) {
    double* column = cholesky_.data() + static_cast<std::ptrdiff_t>(j) * nv_;
    if (!(column[j] >= kernel::smallest_pivot) || !(column[j] >= least_pivot_share * M(j, j)))
      return false;
    inverse_[j] = 1.0 / std::sqrt(column[j]);
    for (int i = j + 1; i < nv_; ++i) column[i] *= inverse_[j];
    for (int k = j + 1; k < end; ++k)
      if (column[k] != 0.0)
        kernel::subtract_multiple(&cholesky_(k, k), column + k, column[k], nv_ - k);
  }
  return true;
}

// Two columns of L at a time, all right-hand sides for each pair.
void SaddlePoint::half_solve(double* x, int count) const {
  if (path_ == Path::diagonal) {
    Eigen::Map<Eigen::MatrixXd> all(x, nv_, count);
    all.array().colwise() *= inverse_.array();
    return;
  }
  for (int j = 0; j < nv_; j += 2) {
    const double* left = cholesky_.data() + static_cast<std::ptrdiff_t>(j) * nv_;
    const double* right = left + nv_;
    for (int c = 0; c < count; ++c) {
      double* column = x + static_cast<std::ptrdiff_t>(c) * nv_;
      column[j] *= inverse_[j];
      if (j + 1 == nv_) continue;
      column[j + 1] = (column[j + 1] - left[j + 1] * column[j]) * inverse_[j + 1];
      kernel::subtract_multiples(column + j + 2, left + j + 2, column[j], right + j + 2,
                                 column[j + 1], nv_ - j - 2);
    }
  }
}

void SaddlePoint::half_solve_back(double* x) const {
  Eigen::Map<Eigen::VectorXd> v(x, nv_);
  if (path_ == Path::diagonal) {
    v.array() *= inverse_.array();
    return;
  }
  for (int j = nv_ - 1; j >= 0; --j) {
    const int below = nv_ - j - 1;
    v[j] = (v[j] - cholesky_.col(j).tail(below).dot(v.tail(below))) * inverse_[j];
  }
}

bool SaddlePoint::recovers_known_solution(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A,
                                          const Eigen::MatrixXd& B) {
  auto x = known_.head(nv_), r = trial_.head(nv_);
  auto y = known_.tail(nl_), s = trial_.tail(nl_);
  for (int j = 0; j < nv_; ++j) x[j] = j % 2 == 0 ? 1.0 : -1.0;
  if (path_ == Path::diagonal) {
    r = M.diagonal().cwiseProduct(x);
  } else {
    r.noalias() = M * x;
  }
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

bool SaddlePoint::factorise_full(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A,
                                 const Eigen::MatrixXd& B) {
  path_ = Path::full;
  for (int i = 0; i < nv_ + nl_; ++i) {
    double size =
        i < nv_ ? M.row(i).lpNorm<Eigen::Infinity>() : B.row(i - nv_).lpNorm<Eigen::Infinity>();
    if (i < nv_)
      for (int k = 0; k < nl_; ++k) size = std::max(size, std::fabs(A(k, i)));
    row_scale_[i] = kernel::usable_pivot(size) ? 1.0 / size : 1.0;
  }
  for (int c = 0; c < nv_; ++c) {
    for (int r = 0; r < nv_; ++r) whole_.at(r, c) = row_scale_[r] * M(r, c);
    for (int r = 0; r < nl_; ++r) whole_.at(nv_ + r, c) = row_scale_[nv_ + r] * B(r, c);
  }
  for (int c = 0; c < nl_; ++c) {
    for (int r = 0; r < nv_; ++r) whole_.at(r, nv_ + c) = row_scale_[r] * A(c, r);
    for (int r = 0; r < nl_; ++r) whole_.at(nv_ + r, nv_ + c) = 0.0;
  }
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
