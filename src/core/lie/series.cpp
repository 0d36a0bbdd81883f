// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/lie/series.hpp>

#include <algorithm>
#include <string>

#include <daedalus/types.hpp>
#include "lie/series_algebra.hpp"

namespace daedalus::lie {

namespace {

void require_between(const char* field, int value, int low, int high) {
  if (value < low || value > high)
    throw InvalidArgument(std::string(field) + ": " + std::to_string(value) + "; allowed are " +
                          std::to_string(low) + ".." + std::to_string(high));
}

constexpr int vectors = 7;  // of bch, which needs most

}  // namespace

Series::Series(const Bracket& bracket)
    : bracket_(bracket), scratch_(static_cast<std::size_t>(vectors) * bracket.size()) {}

void Series::magnus(int r, const double* const* v, double* mu) {
  require_between("r", r, 1, series::top_weight);
  series::Element terms;
  for (std::size_t m = 0; m < terms.size(); ++m) terms[m] = series::monomials[m].magnus;
  double* sum = scratch(series::nested_scratch);
  series::evaluate(bracket_, terms, r, r, v, scratch(0), sum);
  std::copy(sum, sum + bracket_.size(), mu);
}

void Series::increment(int terms, double h, const double* const* v, double* nu) {
  require_between("terms", terms, 1, series::top_weight);
  double power[series::top_weight + 1] = {1.0};
  for (int r = 1; r <= series::top_weight; ++r) power[r] = power[r - 1] * h / r;
  series::Element sum;
  for (std::size_t m = 0; m < sum.size(); ++m)
    sum[m] = series::monomials[m].magnus * power[series::monomials[m].weight];
  double* out = scratch(series::nested_scratch);
  series::evaluate(bracket_, sum, 1, terms, v, scratch(0), out);
  std::copy(out, out + bracket_.size(), nu);
}

void Series::dexpinv(int k, const double* w1, const double* w2, double* out) {
  require_between("k", k, 1, 6);
  const int size = bracket_.size();
  // Coefficients of hat(w1)^i w2; Bernoulli's numbers over i!.
  constexpr double factors[] = {1.0, -1.0 / 2, 1.0 / 12, 0.0, -1.0 / 720};
  const int powers = k < 3 ? 0 : k == 3 ? 1 : k < 6 ? 2 : 4;
  double* power = scratch(0);
  double* sum = scratch(1);
  std::copy(w2, w2 + size, sum);
  if (powers > 0 && !bracket_.is_zero()) {
    std::copy(w2, w2 + size, power);
    for (int i = 1; i <= powers; ++i) {
      bracket_(w1, power, power);
      if (factors[i] != 0.0)
        for (int j = 0; j < size; ++j) sum[j] += factors[i] * power[j];
    }
  }
  std::copy(sum, sum + size, out);
}

void Series::bch(int k, const double* w1, const double* w2, double* out) {
  require_between("k", k, 1, 6);
  const int size = bracket_.size();
  if (k < 3 || bracket_.is_zero()) {
    for (int j = 0; j < size; ++j) out[j] = w1[j] + w2[j];
    return;
  }
  // c = [w1,w2], d = [w1,c]; `first` and `second` collect what stands behind a common w1 or w2.
  double *sum = scratch(0), *c = scratch(1), *d = scratch(2), *first = scratch(3),
         *second = scratch(4), *x = scratch(5), *y = scratch(6);
  bracket_(w1, w2, c);
  for (int j = 0; j < size; ++j) sum[j] = w1[j] + w2[j] + 0.5 * c[j];
  if (k >= 4) {
    bracket_(w1, c, d);
    for (int j = 0; j < size; ++j) {
      sum[j] += d[j] / 12;
      second[j] = -c[j] / 12;
    }
    if (k >= 5)
      for (int j = 0; j < size; ++j) second[j] -= d[j] / 24;
    if (k == 6) {
      bracket_(w1, d, x);
      bracket_(w1, x, first);
      for (int j = 0; j < size; ++j) {
        sum[j] -= first[j] / 720;
        second[j] -= x[j] / 180;
      }
      bracket_(w2, d, x);
      bracket_(w2, c, y);
      bracket_(w2, y, y);
      for (int j = 0; j < size; ++j) second[j] += x[j] / 180 + y[j] / 720;
      bracket_(c, d, y);
      for (int j = 0; j < size; ++j) sum[j] -= y[j] / 120;
    }
    bracket_(w2, second, second);
    for (int j = 0; j < size; ++j) sum[j] += second[j];
  }
  std::copy(sum, sum + size, out);
}

void dexpinv_derivatives(SpaceKind kind, int k, const double* w1, const double* w2,
                         Matrix& by_first, Matrix& by_second) {
  require_between("k", k, 1, 6);
  Matrix H;
  hat(kind, w1, H);
  const Eigen::Index n = H.rows();
  by_first = Matrix::Zero(n, n);
  by_second = Matrix::Identity(n, n);
  if (k < 3) return;
  Matrix of_w2;
  hat(kind, w2, of_w2);
  by_first = 0.5 * of_w2;
  if (k == 3) {
    by_second -= 0.5 * H;
    return;
  }
  using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
  const Matrix A = H * H;
  const Column b = H * Eigen::Map<const Eigen::VectorXd>(w2, n);
  Matrix of_b;
  hat(kind, b.data(), of_b);
  const Matrix inner = H * of_w2 + of_b;
  by_first -= inner / 12;
  by_second += -0.5 * H + A / 12;
  if (k < 6) return;
  const Column c = H * b;
  const Column d = H * c;
  Matrix of_c, of_d;
  hat(kind, c.data(), of_c);
  hat(kind, d.data(), of_d);
  by_first += (A * inner + H * of_c + of_d) / 720;
  by_second -= (A * A) / 720;
}

}  // namespace daedalus::lie
