// SPDX-License-Identifier: BSD-3-Clause
// One function per object saves and loads it: archive(value, ...) appends or reads plain bytes.
// What is loaded may be damaged, or made by an enemy: no size is believed before the bytes for it
// are there, no array changes the size that the run gave it, and indices are checked against their
// range. Numbers may be any numbers.
#pragma once

#include <Eigen/Core>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace daedalus {

// The bytes are not those of a run like this one.
struct DamagedArchive : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Archive {
 public:
  Archive() = default;  // saving
  explicit Archive(std::vector<char> bytes) : bytes_(std::move(bytes)), saving_(false) {}
  bool saving() const { return saving_; }
  const std::vector<char>& bytes() const { return bytes_; }
  std::size_t left() const { return bytes_.size() - position_; }

  template <class... T>
  void operator()(T&... values) {
    (item(values), ...);
  }
  // A list whose length belongs to the run and not to the problem.
  template <class T>
  void grows(std::vector<T>& v) {
    const long n = length(static_cast<long>(v.size()), 1);
    if (!saving_) v.resize(static_cast<std::size_t>(n));
    for (T& x : v) item(x);
  }
  // A whole number that is an index, a count or an order: from `least` to `largest`.
  template <class T, class Bound>
  void within(T& x, Bound least, Bound largest) {
    item(x);
    require(saving_ || (x >= static_cast<T>(least) && x <= static_cast<T>(largest)),
            "a number is out of its range");
  }
  // The number of items that follow, `least` bytes each at least.
  long length(long n, std::size_t least) {
    item(n);
    require(saving_ || (n >= 0 && static_cast<std::size_t>(n) <= left() / least),
            "a length exceeds what is left");
    return n;
  }
  // Loading: everything was read.
  void end() const { require(saving_ || left() == 0, "something follows the end"); }
  void require(bool good, const char* what) const {
    if (!good) throw DamagedArchive("byte " + std::to_string(position_) + ": " + what);
  }

 private:
  void raw(void* p, std::size_t n) {
    if (n == 0) return;  // empty vectors have no address
    if (saving_) {
      const auto* c = static_cast<const char*>(p);
      bytes_.insert(bytes_.end(), c, c + n);
    } else {
      require(n <= left(), "it ends too early");
      std::memcpy(p, bytes_.data() + position_, n);
      position_ += n;
    }
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void item(T& x) { raw(&x, sizeof x); }
  void item(bool& x) {
    char byte = x ? 1 : 0;
    raw(&byte, 1);
    require(saving_ || byte == 0 || byte == 1, "a flag is neither on nor off");
    x = byte == 1;
  }
  template <int R, int C>
  void item(Eigen::Matrix<double, R, C>& m) {
    long r = m.rows(), c = m.cols();
    item(r);
    item(c);
    if (!saving_) {
      const auto most = static_cast<long>(left() / sizeof(double));
      require(
          r >= 0 && c >= 0 && (R == Eigen::Dynamic || r == R) && (C == Eigen::Dynamic || c == C),
          "a matrix has no such size");
      require(r == 0 || c == 0 || c <= most / r, "a length exceeds what is left");
      require(m.size() == 0 || (r == m.rows() && c == m.cols()), "a matrix has another size");
      m.resize(r, c);
    }
    raw(m.data(), static_cast<std::size_t>(m.size()) * sizeof(double));
  }
  template <class T>
  void item(std::vector<T>& v) {
    const long n = length(static_cast<long>(v.size()), 1);
    if (!saving_) {
      require(v.empty() || static_cast<std::size_t>(n) == v.size(), "a list has another length");
      v.resize(static_cast<std::size_t>(n));
    }
    for (T& x : v) item(x);
  }

  std::vector<char> bytes_;
  std::size_t position_ = 0;
  bool saving_ = true;
};

}  // namespace daedalus
