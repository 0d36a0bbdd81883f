// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/gmres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {

Gmres::Gmres(int n, Settings settings)
    : n_(n),
      settings_(std::move(settings)),
      // Not set to zero: pages of directions that are never needed are never touched.
      basis_(
          n,
          std::min(settings_.dimension, settings_.sum ? settings_.dimension : std::max(n, 1)) + 1),
      hessenberg_(basis_.cols(), basis_.cols()),
      cosine_(basis_.cols()),
      sine_(basis_.cols()),
      projected_(basis_.cols()),
      rhs_(n),
      solution_(n),
      product_(n),
      scaled_(n) {
  settings_.dimension = static_cast<int>(basis_.cols()) - 1;
}

// Column 0 of the basis: P^-1 (b - A x) over the scale.
bool Gmres::residual(const Map& matrix, const Map& precondition, const double* scale, bool first) {
  if (first) {
    product_ = rhs_;
  } else {
    if (!matrix(solution_.data(), product_.data())) return false;
    product_ = rhs_ - product_;
  }
  if (!precondition(product_.data(), basis_.col(0).data())) return false;
  if (scale) basis_.col(0).array() /= Eigen::Map<const Eigen::ArrayXd>(scale, n_);
  return true;
}

// Over ranks one reduction; it fails where something went wrong on one of them.
double Gmres::length_of(int column, double* count) {
  if (!settings_.sum) return basis_.col(column).norm();
  double sums[] = {basis_.col(column).squaredNorm(), static_cast<double>(n_)};
  if (!settings_.sum(sums)) return std::numeric_limits<double>::quiet_NaN();
  if (count) *count = sums[1];
  return std::sqrt(sums[0]);
}

// Modified Gram-Schmidt; over ranks the classical one, whose products travel together.
void Gmres::orthogonalise(int k) {
  auto next = basis_.col(k + 1);
  if (!settings_.sum) {
    for (int i = 0; i <= k; ++i) {
      hessenberg_(i, k) = basis_.col(i).dot(next);
      next -= hessenberg_(i, k) * basis_.col(i);
    }
    return;
  }
  hessenberg_.col(k).head(k + 1).noalias() = basis_.leftCols(k + 1).transpose() * next;
  if (!settings_.sum({hessenberg_.col(k).data(), static_cast<std::size_t>(k) + 1}))
    hessenberg_.col(k).setConstant(std::numeric_limits<double>::quiet_NaN());
  next.noalias() -= basis_.leftCols(k + 1) * hessenberg_.col(k).head(k + 1);
}

Gmres::Result Gmres::solve(const Map& matrix, const Map& precondition, const double* scale,
                           double relative, double absolute, double* x) {
  Result result;
  broken_ = false;
  rhs_ = Eigen::Map<const Eigen::VectorXd>(x, n_);
  solution_.setZero();
  double count = n_;
  double start = 0.0;
  for (bool first = true;; first = false) {
    if (!residual(matrix, precondition, scale, first)) return result;
    if (!first) ++result.products;
    const double size = length_of(0, &count);
    if (!std::isfinite(size)) return result;
    const double mean = std::sqrt(std::max(count, 1.0));
    if (first) start = size;
    const double enough = std::max(relative * start, absolute * mean);
    result.reduction = start > 0.0 ? size / start : 0.0;
    if (first && size <= absolute * mean) {
      // As good as solved, and the preconditioner alone gives most of what is left.
      solution_ = basis_.col(0);
      if (scale) solution_.array() *= Eigen::Map<const Eigen::ArrayXd>(scale, n_);
      result.converged = true;
      break;
    }
    if (size <= enough) {
      result.converged = true;
      break;
    }
    if (result.products >= settings_.iterations) break;
    const double left = cycle(matrix, precondition, scale, enough, size, result);
    if (broken_) return result;
    result.reduction = left / start;
    // The recurrence is trusted: a residual of its own would cost another product.
    if (left <= enough) {
      result.converged = true;
      break;
    }
  }
  std::copy_n(solution_.data(), n_, x);
  return result;
}

// Arnoldi with modified Gram-Schmidt, Givens rotations; adds the correction to the solution.
double Gmres::cycle(const Map& matrix, const Map& precondition, const double* scale, double enough,
                    double start, Result& result) {
  double left = start;
  projected_.setZero();
  projected_[0] = left;
  basis_.col(0) /= left;
  int k = 0;
  while (k < settings_.dimension && result.products < settings_.iterations && left > enough) {
    scaled_ = basis_.col(k);
    if (scale) scaled_.array() *= Eigen::Map<const Eigen::ArrayXd>(scale, n_);
    ++result.products;
    if (!matrix(scaled_.data(), product_.data()) ||
        !precondition(product_.data(), basis_.col(k + 1).data())) {
      broken_ = true;
      return left;
    }
    auto next = basis_.col(k + 1);
    if (scale) next.array() /= Eigen::Map<const Eigen::ArrayXd>(scale, n_);
    orthogonalise(k);
    const double length = length_of(k + 1);
    if (!std::isfinite(length)) {
      broken_ = true;
      return left;
    }
    for (int i = 0; i < k; ++i) {
      const double upper = hessenberg_(i, k), lower = hessenberg_(i + 1, k);
      hessenberg_(i, k) = cosine_[i] * upper + sine_[i] * lower;
      hessenberg_(i + 1, k) = -sine_[i] * upper + cosine_[i] * lower;
    }
    const double diagonal = std::hypot(hessenberg_(k, k), length);
    // A direction that the operator maps to zero: nothing more can be gained here.
    if (diagonal == 0.0) break;
    cosine_[k] = hessenberg_(k, k) / diagonal;
    sine_[k] = length / diagonal;
    hessenberg_(k, k) = diagonal;
    projected_[k + 1] = -sine_[k] * projected_[k];
    projected_[k] *= cosine_[k];
    ++k;
    left = std::abs(projected_[k]);
    if (length == 0.0) break;
    next /= length;
  }
  for (int i = k - 1; i >= 0; --i) {
    double sum = projected_[i];
    for (int j = i + 1; j < k; ++j) sum -= hessenberg_(i, j) * projected_[j];
    projected_[i] = sum / hessenberg_(i, i);
  }
  scaled_.setZero();
  for (int i = 0; i < k; ++i) scaled_ += projected_[i] * basis_.col(i);
  if (scale) scaled_.array() *= Eigen::Map<const Eigen::ArrayXd>(scale, n_);
  solution_ += scaled_;
  return left;
}

}  // namespace daedalus
