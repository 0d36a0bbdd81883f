// SPDX-License-Identifier: BSD-3-Clause
// Numbers that a handler is given, between guards: what it reads or writes beside them shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace daedalus {

namespace beside {
constexpr std::size_t width = 16;  // entries on either side
constexpr std::uint64_t payload = 0x0007ffffffffffffULL, first = 0x0000dae2dae2da00ULL;
constexpr std::uint64_t inputs = 3;
}  // namespace beside

// A NaN whose payload tells the k-th input; arithmetic hands it on.
inline double mark_of_input(int k) {
  const std::uint64_t bits = 0x7ff8000000000000ULL | (beside::first + static_cast<unsigned>(k));
  double d;
  std::memcpy(&d, &bits, sizeof d);
  return d;
}
// The input whose guard a number was computed from; -1: none.
inline int input_of(double d) {
  if (d == d) return -1;
  std::uint64_t bits;
  std::memcpy(&bits, &d, sizeof bits);
  const std::uint64_t p = bits & beside::payload;
  return p >= beside::first && p < beside::first + beside::inputs
             ? static_cast<int>(p - beside::first)
             : -1;
}

class GuardedNumbers {
 public:
  GuardedNumbers(const double* from, int n, double mark)
      : mark_(mark),
        count_(static_cast<std::size_t>(n)),
        values_(count_ + 2 * beside::width, mark_) {
    std::copy(from, from + n, data());
  }
  double* data() { return values_.data() + beside::width; }
  int size() const { return static_cast<int>(count_); }
  const double* begin() const { return values_.data() + beside::width; }
  const double* end() const { return begin() + count_; }
  bool written_outside() const {
    const auto touched = [this](const double& x) { return std::memcmp(&x, &mark_, sizeof x) != 0; };
    const auto first = values_.begin();
    const auto last = first + static_cast<std::ptrdiff_t>(beside::width + count_);
    return std::any_of(first, first + beside::width, touched) ||
           std::any_of(last, values_.end(), touched);
  }

 private:
  double mark_;
  std::size_t count_;
  std::vector<double> values_;
};

// As many numbers in a vector, with marks in the memory behind its end.
inline std::vector<double> marked_behind(const std::vector<double>* from, double mark) {
  std::vector<double> v = from ? *from : std::vector<double>();
  const std::size_t n = v.size();
  v.resize(n + beside::width, mark);
  v.resize(n);
  return v;
}

}  // namespace daedalus
