// SPDX-License-Identifier: BSD-3-Clause
// Denormal numbers count as zero while this lives: arithmetic with them takes a hundred times as
// long, and decaying solutions are full of them. The mode of the thread is restored afterwards, by
// exceptions too. Callables of a run are called in this mode.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#endif

namespace daedalus {

class QuietDenormals {
 public:
  QuietDenormals() : before_(mode()) { set(before_ | flush); }
  ~QuietDenormals() { set(before_); }
  QuietDenormals(const QuietDenormals&) = delete;
  QuietDenormals& operator=(const QuietDenormals&) = delete;

 private:
#if defined(__SSE2__)
  using Mode = unsigned;
  static constexpr Mode flush = 0x8040;  // results to zero, and arguments read as zero
  static Mode mode() { return _mm_getcsr(); }
  static void set(Mode m) { _mm_setcsr(m); }
#elif defined(__aarch64__)
  using Mode = std::uint64_t;
  static constexpr Mode flush = Mode{1} << 24;
  static Mode mode() {
    Mode m;
    asm volatile("mrs %0, fpcr" : "=r"(m));
    return m;
  }
  static void set(Mode m) { asm volatile("msr fpcr, %0" : : "r"(m)); }
#else
  using Mode = int;
  static constexpr Mode flush = 0;
  static Mode mode() { return 0; }
  static void set(Mode) {}
#endif
  Mode before_;
};

}  // namespace daedalus
