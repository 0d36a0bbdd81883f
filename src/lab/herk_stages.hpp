// SPDX-License-Identifier: BSD-3-Clause
// Stage vectors of trees over a field, each value kept once: vectors have numbers, and products and
// images under a matrix are remembered by these numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel/exact_number.hpp"
#include "lab/rosenbrock_order.hpp"

namespace daedalus::analysis {

inline double as_double(const ExactNumber& x) { return x.to_double(); }
inline double as_double(Quadruple x) { return static_cast<double>(x); }

template <class Field>
using Matrix = std::vector<std::vector<Field>>;

template <class Field>
class StageVectors {
 public:
  explicit StageVectors(std::size_t stages) : ones_(keep(std::vector<Field>(stages, Field(1)))) {}

  int ones() const { return ones_; }
  const std::vector<Field>& operator[](int vector) const { return values_[vector]; }

  // Matrices are told apart by their address.
  int image(const Matrix<Field>& matrix, int vector) {
    auto& known = images_[&matrix];
    if (const auto found = known.find(vector); found != known.end()) return found->second;
    std::vector<Field> result;
    for (const auto& row : matrix) result.push_back(inner(row, vector));
    return known.emplace(vector, keep(std::move(result))).first->second;
  }

  int product(int x, int y) {
    if (x == ones_) return y;
    if (y == ones_) return x;
    if (x > y) std::swap(x, y);
    const std::uint64_t key = static_cast<std::uint64_t>(x) << 32 | static_cast<std::uint32_t>(y);
    if (const auto found = products_.find(key); found != products_.end()) return found->second;
    std::vector<Field> result = values_[x];
    for (std::size_t i = 0; i < result.size(); ++i) result[i] *= values_[y][i];
    return products_.emplace(key, keep(std::move(result))).first->second;
  }

  Field inner(const std::vector<Field>& row, int vector) const {
    Field sum(0);
    const std::vector<Field>& x = values_[vector];
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != Field(0) && x[j] != Field(0)) sum += row[j] * x[j];
    return sum;
  }

 private:
  int keep(std::vector<Field> value) {
    std::size_t hash = 0;
    for (const Field& x : value) hash = hash * 1000003 ^ std::hash<double>()(as_double(x));
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto it = first; it != last; ++it)
      if (values_[it->second] == value) return it->second;
    const int number = static_cast<int>(values_.size());
    values_.push_back(std::move(value));
    by_hash_.emplace(hash, number);
    return number;
  }

  std::vector<std::vector<Field>> values_;
  std::unordered_multimap<std::size_t, int> by_hash_;
  std::unordered_map<std::uint64_t, int> products_;
  std::unordered_map<const Matrix<Field>*, std::unordered_map<int, int>> images_;
  int ones_;
};

}  // namespace daedalus::analysis
