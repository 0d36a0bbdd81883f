// SPDX-License-Identifier: BSD-3-Clause
#include "nonlinear/stuck_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/at.hpp"

namespace daedalus {
namespace {
// A row that keeps so much of itself belongs to a matrix that is too large by five and more.
constexpr double min_kept = 0.8;
// Smaller rows keep their size by chance.
constexpr double share_of_worst_row = 0.1;
// Rounding errors of the terms of a row, added up.
constexpr double noise_of_rows = 64.0 * std::numeric_limits<double>::epsilon();

template <class Factor>
void add_row_sums(const SparsePattern& p, std::span<const double> values, Factor&& of_column,
                  Eigen::VectorXd& out) {
  for (int c = 0; c < p.cols; ++c)
    for (int k = p.start[at(c)]; k < p.start[at(c) + 1]; ++k)
      out[p.row[at(k)]] += std::abs(values[at(k)]) * of_column(c);
}
}  // namespace

StuckRows::StuckRows(int rows, int max_columns) : rows_(rows) {
  for (Eigen::VectorXd* v : {&before_, &now_}) v->setZero(rows * max_columns);
  for (Eigen::VectorXd* v : {&unit_, &noise_}) v->setZero(rows);
}

void StuckRows::take(const double* residual, int columns, bool first) {
  known_ = !first && columns == columns_;
  before_.swap(now_);
  columns_ = columns;
  std::copy(residual, residual + rows_ * columns, now_.data());
}

void StuckRows::set_units(const Pencil& pencil, double alpha, const double* magnitude,
                          const Eigen::VectorXd& weight) {
  const double size = std::abs(alpha);
  unit_.setZero();
  noise_.setZero();
  add_row_sums(pencil.pattern_e(), pencil.e(), [&](int c) { return size * weight[c]; }, unit_);
  add_row_sums(pencil.pattern_e(), pencil.e(), [&](int c) { return size * magnitude[c]; }, noise_);
  add_row_sums(pencil.pattern_j(), pencil.j(), [&](int c) { return magnitude[c]; }, noise_);
}

bool StuckRows::found(const Pencil& pencil, double alpha, const double* magnitude,
                      const Eigen::VectorXd& weight, double kappa) {
  if (!known_ || pencil.matrix_free()) return false;
  const auto kept = [&](int i) {
    return now_[i] * before_[i] > 0.0 && std::abs(now_[i]) >= min_kept * std::abs(before_[i]);
  };
  const int count = rows_ * columns_;
  bool any = false;
  for (int i = 0; i < count && !any; ++i) any = kept(i);
  if (!any) return false;
  set_units(pencil, alpha, magnitude, weight);
  double worst = 0.0;
  for (int i = 0; i < count; ++i)
    if (unit_[i % rows_] > 0.0) worst = std::max(worst, std::abs(now_[i]) / unit_[i % rows_]);
  for (int i = 0; i < count; ++i) {
    const double size = std::abs(now_[i]), unit = unit_[i % rows_];
    if (unit > 0.0 && kept(i) && size > std::max(kappa, share_of_worst_row * worst) * unit &&
        size > noise_of_rows * noise_[i % rows_])
      return true;
  }
  return false;
}

}  // namespace daedalus
