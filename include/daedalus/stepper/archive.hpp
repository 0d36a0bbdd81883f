// SPDX-License-Identifier: BSD-3-Clause
// One function per object saves and loads it: archive(value, ...) appends or reads plain bytes.
#pragma once

#include <Eigen/Core>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace daedalus {

class Archive {
 public:
  Archive() = default;  // saving
  explicit Archive(std::vector<char> bytes) : bytes_(std::move(bytes)), saving_(false) {}
  bool saving() const { return saving_; }
  const std::vector<char>& bytes() const { return bytes_; }

  template <class... T>
  void operator()(T&... values) {
    (item(values), ...);
  }

 private:
  void raw(void* p, std::size_t n) {
    if (n == 0) return;  // empty vectors have no address
    if (saving_) {
      const auto* c = static_cast<const char*>(p);
      bytes_.insert(bytes_.end(), c, c + n);
    } else {
      if (position_ + n > bytes_.size()) throw std::runtime_error("archive: truncated");
      std::memcpy(p, bytes_.data() + position_, n);
      position_ += n;
    }
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void item(T& x) { raw(&x, sizeof x); }
  template <int R, int C>
  void item(Eigen::Matrix<double, R, C>& m) {
    long r = m.rows(), c = m.cols();
    item(r);
    item(c);
    if (!saving_) m.resize(r, c);
    raw(m.data(), static_cast<std::size_t>(m.size()) * sizeof(double));
  }
  template <class T>
  void item(std::vector<T>& v) {
    long n = static_cast<long>(v.size());
    item(n);
    if (!saving_) v.resize(static_cast<std::size_t>(n));
    for (T& x : v) item(x);
  }

  std::vector<char> bytes_;
  std::size_t position_ = 0;
  bool saving_ = true;
};

}  // namespace daedalus
