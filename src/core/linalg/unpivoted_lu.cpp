// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/unpivoted_lu.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernel/at.hpp"
#include "kernel/lu.hpp"

namespace daedalus {
namespace {

// Below, the unrolled dense kernels are faster; above, rows would be more than one machine word.
constexpr int min_size = 9, max_size = 64;
// An entry of sparse factors takes about as long as three of dense ones.
constexpr int cost_of_entry = 3;
// Largest product of a multiplier and an entry of its pivot row, in sizes of the row that it is
// subtracted from: a digit may be lost, as with the pivots of sparse solvers.
constexpr double max_growth = 10.0;

using Word = std::uint64_t;
constexpr Word bit(int i) { return Word{1} << i; }

template <class F>
void for_bits(Word word, F&& f) {
  for (; word != 0; word &= word - 1) f(std::countr_zero(word));
}

// Structure by rows and columns, and with it that of the factors once all are eliminated.
struct Structure {
  std::vector<Word> row, column;

  explicit Structure(const SparsePattern& p) : row(at(p.rows), 0), column(at(p.rows), 0) {
    for (int c = 0; c < p.cols; ++c)
      for (int k = p.start[at(c)]; k < p.start[at(c) + 1]; ++k) {
        row[at(p.row[at(k)])] |= bit(c);
        column[at(c)] |= bit(p.row[at(k)]);
      }
  }
  bool whole_diagonal() const {
    for (std::size_t i = 0; i < row.size(); ++i)
      if (!(row[i] & bit(static_cast<int>(i)))) return false;
    return true;
  }
  // Entries that may fill in, least first; of equal ones the first.
  std::vector<int> eliminate() {
    const int n = static_cast<int>(row.size());
    std::vector<int> order;
    Word left = n == max_size ? ~Word{0} : bit(n) - 1;
    while (left != 0) {
      int best = -1, least = std::numeric_limits<int>::max();
      for_bits(left, [&](int k) {
        const int cost =
            (std::popcount(row[at(k)] & left) - 1) * (std::popcount(column[at(k)] & left) - 1);
        if (cost < least) least = cost, best = k;
      });
      left &= ~bit(best);
      order.push_back(best);
      const Word right = row[at(best)] & left, below = column[at(best)] & left;
      for_bits(below, [&](int i) { row[at(i)] |= right; });
      for_bits(right, [&](int j) { column[at(j)] |= below; });
    }
    return order;
  }
};

}  // namespace

std::unique_ptr<UnpivotedLu> UnpivotedLu::make(const SparsePattern& p) {
  const int n = p.rows;
  if (n < min_size || n > max_size || cost_of_entry * p.nonzeros() > n * n) return nullptr;
  Structure s(p);
  if (!s.whole_diagonal()) return nullptr;
  auto lu = std::make_unique<UnpivotedLu>();
  lu->order_ = s.eliminate();
  int entries = 0;
  for (const Word row : s.row) entries += std::popcount(row);
  if (cost_of_entry * entries > n * n) return nullptr;

  std::vector<int> place(at(n));
  for (int i = 0; i < n; ++i) place[at(lu->order_[at(i)])] = i;
  std::vector<int> where(at(n) * at(n), -1);  // in data_, by row and column in the new order
  lu->column_.reserve(at(entries));
  for (int i = 0; i < n; ++i) {
    Word columns = 0;
    for_bits(s.row[at(lu->order_[at(i)])], [&](int c) { columns |= bit(place[at(c)]); });
    Row row{static_cast<int>(lu->column_.size()), 0, 0};
    for_bits(columns, [&](int c) {
      const int next = static_cast<int>(lu->column_.size());
      if (c == i) row.diagonal = next;
      where[at(i) * at(n) + at(c)] = next;
      lu->column_.push_back(c);
    });
    row.end = static_cast<int>(lu->column_.size());
    lu->row_.push_back(row);
    for (int k = row.first; k < row.diagonal; ++k) {
      const Row& pivot = lu->row_[at(lu->column_[at(k)])];
      for (int u = pivot.diagonal + 1; u < pivot.end; ++u)
        lu->target_.push_back(where[at(i) * at(n) + at(lu->column_[at(u)])]);
    }
  }
  lu->position_.reserve(p.row.size());
  for (int c = 0; c < n; ++c)
    for (int k = p.start[at(c)]; k < p.start[at(c) + 1]; ++k)
      lu->position_.push_back(where[at(place[at(p.row[at(k)])]) * at(n) + at(place[at(c)])]);
  lu->data_.resize(at(entries));
  for (std::vector<double>* v : {&lu->inverse_, &lu->largest_, &lu->work_}) v->resize(at(n));
  return lu;
}

bool UnpivotedLu::factorise() {
  double* const v = data_.data();
  const int* target = target_.data();
  const int n = static_cast<int>(row_.size());
  for (int i = 0; i < n; ++i) {
    const Row row = row_[at(i)];
    for (int k = row.first; k < row.diagonal; ++k) {
      const std::size_t pivot = at(column_[at(k)]);
      const double factor = v[k] * inverse_[pivot];
      // In this form a NaN fails as well.
      if (!(std::fabs(factor) * largest_[pivot] <= max_growth)) return false;
      v[k] = factor;
      const double* const end = v + row_[pivot].end;
      for (const double* u = v + row_[pivot].diagonal + 1; u < end; ++u)
        v[*target++] -= factor * *u;
    }
    double largest = std::fabs(v[row.diagonal]);
    if (!kernel::usable_pivot(largest)) return false;
    inverse_[at(i)] = 1.0 / v[row.diagonal];
    for (int u = row.diagonal + 1; u < row.end; ++u) largest = std::max(largest, std::fabs(v[u]));
    largest_[at(i)] = largest;
  }
  return true;
}

void UnpivotedLu::solve(double* x) {
  const double* const v = data_.data();
  const int* const column = column_.data();
  double* const y = work_.data();
  const int n = static_cast<int>(row_.size());
  for (int i = 0; i < n; ++i) {
    double sum = x[order_[at(i)]];
    for (int k = row_[at(i)].first, end = row_[at(i)].diagonal; k < end; ++k)
      sum -= v[k] * y[column[k]];
    y[i] = sum;
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = y[i];
    for (int k = row_[at(i)].diagonal + 1, end = row_[at(i)].end; k < end; ++k)
      sum -= v[k] * y[column[k]];
    x[order_[at(i)]] = y[i] = sum * inverse_[at(i)];
  }
}

double UnpivotedLu::reciprocal_condition() const {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
  for (const double value : inverse_) {
    smallest = std::min(smallest, std::fabs(value));
    largest = std::max(largest, std::fabs(value));
  }
  return smallest / largest;
}

}  // namespace daedalus
