// SPDX-License-Identifier: BSD-3-Clause
// Numbers that a handler is given, between guards: what it reads or writes beside them shows.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "formulation/guarded_call.hpp"

namespace daedalus {

class GuardedNumbers {
 public:
  GuardedNumbers(const double* from, int n, double mark)
      : mark_(mark),
        count_(static_cast<std::size_t>(n)),
        values_(count_ + 2 * guard::width, mark_) {
    std::copy(from, from + n, data());
  }
  double* data() { return values_.data() + guard::width; }
  int size() const { return static_cast<int>(count_); }
  const double* begin() const { return values_.data() + guard::width; }
  const double* end() const { return begin() + count_; }
  bool written_outside() const {
    const auto touched = [this](const double& x) { return std::memcmp(&x, &mark_, sizeof x) != 0; };
    const auto first = values_.begin();
    const auto last = first + static_cast<std::ptrdiff_t>(guard::width + count_);
    return std::any_of(first, first + guard::width, touched) ||
           std::any_of(last, values_.end(), touched);
  }

 private:
  double mark_;
  std::size_t count_;
  std::vector<double> values_;
};

// The guard of the k-th input: numbers computed from it are told by guard::read_input().
inline double mark_of_input(int k) {
  return guard::marked(guard::first_read + static_cast<std::uint64_t>(k));
}

// As many numbers in a vector, with marks in the memory behind its end.
inline std::vector<double> marked_behind(const std::vector<double>* from, double mark) {
  std::vector<double> v = from ? *from : std::vector<double>();
  const std::size_t n = v.size();
  v.resize(n + guard::width, mark);
  v.resize(n);
  return v;
}

}  // namespace daedalus
