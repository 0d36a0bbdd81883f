#include "linalg/saddle_point.hpp"

#include <cassert>
#include <cmath>
#include <limits>
#include <string>

#include "daedalus/types.hpp"
#include "linalg/solver_kinds.hpp"

namespace daedalus {
namespace {

constexpr double symmetry = 16 * std::numeric_limits<double>::epsilon();
constexpr double least_pivot_share = 1e-8;
constexpr double recovery = 1e-10;

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

bool SaddlePoint::factorise_structured(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A,
                                       const Eigen::MatrixXd& B) {
  path_ = is_diagonal(M) ? Path::diagonal : Path::cholesky;
  if (!factorise_mass(M)) return false;
  force_ = A.transpose();
  motion_ = B.transpose();
  for (int i = 0; i < nl_; ++i) {
    half_solve(force_.col(i).data());
    half_solve(motion_.col(i).data());
  }
  for (int c = 0; c < nl_; ++c)
    for (int r = 0; r < nl_; ++r) schur_.at(r, c) = motion_.col(r).dot(force_.col(c));
  return schur_.factorise() && recovers_known_solution(M, A, B);
}

// L by columns; for diagonal M only the roots of the diagonal.
bool SaddlePoint::factorise_mass(const Eigen::MatrixXd& M) {
  if (path_ == Path::cholesky && !is_symmetric(M)) return false;
  if (path_ == Path::cholesky) cholesky_ = M;
  for (int j = 0; j < nv_; ++j) {
    const double pivot = path_ == Path::cholesky ? cholesky_(j, j) : M(j, j);
    if (!(pivot > 0.0) || !(pivot >= least_pivot_share * M(j, j))) return false;
    inverse_[j] = 1.0 / std::sqrt(pivot);
    if (path_ == Path::diagonal) continue;
    double* column = cholesky_.data() + static_cast<std::ptrdiff_t>(j) * nv_;
    for (int i = j + 1; i < nv_; ++i) column[i] *= inverse_[j];
    for (int k = j + 1; k < nv_; ++k)
      if (column[k] != 0.0)
        kernel::detail::subtract_multiple(&cholesky_(k, k), column + k, column[k], nv_ - k);
  }
  return true;
}

void SaddlePoint::half_solve(double* x) const {
  for (int j = 0; j < nv_; ++j) {
    x[j] *= inverse_[j];
    if (path_ == Path::cholesky && x[j] != 0.0)
      kernel::detail::subtract_multiple(x + j + 1, cholesky_.data() + j * (nv_ + 1) + 1, x[j],
                                        nv_ - j - 1);
  }
}

void SaddlePoint::half_solve_back(double* x) const {
  for (int j = nv_ - 1; j >= 0; --j) {
    if (path_ == Path::cholesky)
      for (int i = j + 1; i < nv_; ++i) x[j] -= cholesky_(i, j) * x[i];
    x[j] *= inverse_[j];
  }
}

bool SaddlePoint::recovers_known_solution(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A,
                                          const Eigen::MatrixXd& B) {
  if (nl_ == 0) return true;
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
  half_solve(x);
  if (nl_ > 0) {
    Eigen::Map<Eigen::VectorXd> half(x, nv_);
    for (int i = 0; i < nl_; ++i) y[i] = motion_.col(i).dot(half) - y[i];
    schur_.solve(y);
    for (int i = 0; i < nl_; ++i)
      kernel::detail::subtract_multiple(x, force_.col(i).data(), y[i], nv_);
  }
  half_solve_back(x);
}

double SaddlePoint::reciprocal_condition() const {
  if (!ready_) return std::numeric_limits<double>::quiet_NaN();
  if (path_ == Path::full) return whole_.reciprocal_condition();
  return nl_ > 0 ? schur_.reciprocal_condition() : 1.0;
}

}  // namespace daedalus
