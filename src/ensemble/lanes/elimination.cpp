// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/lanes/elimination.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/at.hpp"

namespace daedalus::lanes {
namespace {

// Of the largest entry in its column: the usual compromise between fill-in and growth.
constexpr double threshold = 0.1;

class PivotSearch {
 public:
  PivotSearch(int n, std::vector<char> pattern, std::vector<std::vector<double>> samples)
      : n_(n),
        pattern_(std::move(pattern)),
        samples_(std::move(samples)),
        row_done_(at(n), 0),
        column_done_(at(n), 0) {}

  std::optional<PivotOrder> run() {
    PivotOrder order;
    for (int k = 0; k < n_; ++k) {
      const auto [i, j] = best();
      if (i < 0) return {};
      eliminate(i, j);
      order.row.push_back(i);
      order.column.push_back(j);
    }
    return order;
  }

 private:
  std::size_t place(int i, int j) const { return at(i * n_ + j); }
  // Smallest share of its column over all samples.
  double share(int i, int j) const {
    double smallest = 1.0;
    for (const std::vector<double>& a : samples_) {
      double largest = 0.0;
      for (int k = 0; k < n_; ++k)
        if (!row_done_[at(k)]) largest = std::max(largest, std::abs(a[place(k, j)]));
      smallest = std::min(smallest, largest > 0.0 ? std::abs(a[place(i, j)]) / largest : 0.0);
    }
    return smallest;
  }
  int fill(int i, int j) const {
    int in_row = 0, in_column = 0;
    for (int k = 0; k < n_; ++k) {
      in_row += !column_done_[at(k)] && pattern_[place(i, k)];
      in_column += !row_done_[at(k)] && pattern_[place(k, j)];
    }
    return (in_row - 1) * (in_column - 1);
  }
  std::pair<int, int> best() const {
    std::pair<int, int> found{-1, -1};
    int least = n_ * n_ + 1;
    double most = 0.0;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) {
        if (row_done_[at(i)] || column_done_[at(j)] || !pattern_[place(i, j)]) continue;
        const double s = share(i, j);
        const int cost = s >= threshold ? fill(i, j) : n_ * n_;
        if (cost < least || (cost == least && s > most)) {
          if (s == 0.0) continue;
          found = {i, j};
          least = cost;
          most = s;
        }
      }
    return found;
  }
  void eliminate(int i, int j) {
    row_done_[at(i)] = column_done_[at(j)] = 1;
    for (int r = 0; r < n_; ++r) {
      if (row_done_[at(r)] || !pattern_[place(r, j)]) continue;
      for (int c = 0; c < n_; ++c)
        if (!column_done_[at(c)] && pattern_[place(i, c)]) {
          pattern_[place(r, c)] = 1;
          for (std::vector<double>& a : samples_)
            a[place(r, c)] -= a[place(r, j)] / a[place(i, j)] * a[place(i, c)];
        }
    }
  }

  int n_;
  std::vector<char> pattern_;
  std::vector<std::vector<double>> samples_;
  std::vector<char> row_done_, column_done_;
};

}  // namespace

std::optional<PivotOrder> choose_pivots(int n, const std::vector<char>& pattern,
                                        std::vector<std::vector<double>> samples) {
  return PivotSearch(n, pattern, std::move(samples)).run();
}

Elimination::Elimination(const std::vector<Expr>& matrix, const PivotOrder& order)
    : n_(static_cast<int>(order.row.size())), order_(order), matrix_(matrix), inverse_(at(n_)) {
  factors_.resize(matrix.size());
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < n_; ++j)
      factors_[at(i * n_ + j)] = matrix[at(order_.row[at(i)] * n_ + order_.column[at(j)])];
  const auto a = [&](int i, int j) -> Expr& { return factors_[at(i * n_ + j)]; };
  for (int k = 0; k < n_; ++k) {
    inverse_[at(k)] = 1.0 / a(k, k);
    for (int i = k + 1; i < n_; ++i) {
      if (a(i, k).is_number(0.0)) continue;
      a(i, k) = a(i, k) * inverse_[at(k)];
      for (int j = k + 1; j < n_; ++j)
        if (!a(k, j).is_number(0.0)) a(i, j) = a(i, j) - a(i, k) * a(k, j);
    }
  }
}

std::vector<Expr> Elimination::solve(const std::vector<Expr>& right) const {
  std::vector<Expr> b(at(n_)), x(at(n_));
  const auto a = [&](int i, int j) -> const Expr& { return factors_[at(i * n_ + j)]; };
  for (int i = 0; i < n_; ++i) {
    Expr sum = right[at(order_.row[at(i)])];
    for (int k = 0; k < i; ++k)
      if (!a(i, k).is_number(0.0)) sum = sum - a(i, k) * b[at(k)];
    b[at(i)] = sum;
  }
  for (int i = n_ - 1; i >= 0; --i) {
    Expr sum = b[at(i)];
    for (int j = i + 1; j < n_; ++j)
      if (!a(i, j).is_number(0.0)) sum = sum - a(i, j) * b[at(j)];
    b[at(i)] = sum * inverse_[at(i)];
    x[at(order_.column[at(i)])] = b[at(i)];
  }
  return x;
}

Expr Elimination::is_solution(const std::vector<Expr>& x, const std::vector<Expr>& b,
                              double bound) const {
  Expr all = 1.0;
  for (int i = 0; i < n_; ++i) {
    Expr residual = -b[at(i)], size = abs(b[at(i)]);
    for (int j = 0; j < n_; ++j) {
      const Expr& a = matrix_[at(i * n_ + j)];
      if (a.is_number(0.0)) continue;
      const Expr term = a * x[at(j)];
      residual = residual + term;
      size = size + abs(term);
    }
    const Expr good = abs(residual) <= bound * size;
    all = all.is_number(1.0) ? good : (all && good);
  }
  return all;
}

}  // namespace daedalus::lanes
