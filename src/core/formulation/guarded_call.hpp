// SPDX-License-Identifier: BSD-3-Clause
// A callable is run once between guards: its output is filled and surrounded by one marked NaN, its
// inputs are surrounded by others. What is left unwritten, written outside or computed from a guard
// shows by the mark, which arithmetic hands on in the payload of a NaN.
#pragma once

#include <pthread.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <daedalus/function.hpp>

namespace daedalus::guard {

inline constexpr std::size_t width = 16;  // entries on either side
inline constexpr int input_count = 7;     // five vectors, parameters, modes

// The sign is not looked at: negation changes it.
inline constexpr std::uint64_t payload_bits = 0x0007ffffffffffffULL;
inline constexpr std::uint64_t untouched = 0x0000dae0dae0dae0ULL;
inline constexpr std::uint64_t first_read = 0x0000dae1dae1da00ULL;

inline double marked(std::uint64_t payload) {
  const std::uint64_t bits = 0x7ff8000000000000ULL | payload;
  double d;
  std::memcpy(&d, &bits, sizeof d);
  return d;
}
inline std::uint64_t payload_of(double d) {
  if (d == d) return 0;
  std::uint64_t bits;
  std::memcpy(&bits, &d, sizeof bits);
  return bits & payload_bits;
}
inline bool is_untouched(double d) { return payload_of(d) == untouched; }
// Number of the input whose guard was read; -1: none.
inline int read_input(double d) {
  const std::uint64_t p = payload_of(d);
  return p >= first_read && p < first_read + input_count ? static_cast<int>(p - first_read) : -1;
}
inline int read_input(const Dual4& x) {
  int found = read_input(x.v);
  for (const double d : x.d) found = std::max(found, read_input(d));
  return found;
}

inline void fill(double& x, double mark) { x = mark; }
inline void fill(Dual4& x, double mark) {
  x.v = mark;
  x.d.fill(mark);
}

// A piece of memory that a thread keeps from call to call: a solve of a small problem would spend a
// tenth of its time in getting them. A callable that starts a solve of its own finds those in use
// gone and gets new ones.
template <class S>
struct Room {
  Room() : kept_(kept()) {
    if (!kept_ || kept_->empty()) return;
    numbers = std::move(kept_->back());
    kept_->pop_back();
  }
  ~Room() {
    if (kept_ && numbers.capacity() <= most_kept && kept_->size() < kept_->capacity())
      kept_->push_back(std::move(numbers));
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  std::vector<S> numbers;

 private:
  // Of large problems getting the memory costs nothing beside the call.
  static constexpr std::size_t most_kept = 10000;
  using Pieces = std::vector<std::vector<S>>;

  // Not thread_local: where there is no memory to note down its destructor, glibc ends the program.
  struct Key {
    pthread_key_t key{};
    bool made = pthread_key_create(&key, [](void* p) { delete static_cast<Pieces*>(p); }) == 0;
  };
  // Of this thread; nullptr: the system has no place for them.
  static Pieces* kept() {
    static const Key place;
    if (!place.made) return nullptr;
    if (void* there = pthread_getspecific(place.key)) return static_cast<Pieces*>(there);
    auto pieces = std::make_unique<Pieces>();
    pieces->reserve(4);
    return pthread_setspecific(place.key, pieces.get()) == 0 ? pieces.release() : nullptr;
  }

  Pieces* kept_;
};

// Copies of all arguments with guards around each.
template <class S>
class Inputs {
 public:
  explicit Inputs(const Arguments<double>& a) {
    std::size_t count = 0;
    for (const int n : a.n) count += room(n);
    numbers_.numbers.resize(count + room(a.parameter_count));
    modes_.numbers.resize(room(a.mode_count));
    S* next = numbers_.numbers.data();
    result_.t = S(a.t);
    for (int k = 0; k < 5; ++k) {
      const auto i = static_cast<std::size_t>(k);
      result_.x[i] = copy(next, k, a.x[i], a.n[i]);
      result_.n[i] = a.n[i];
    }
    result_.p = copy(next, 5, a.p, a.parameter_count);
    result_.parameter_count = a.parameter_count;
    double* modes = modes_.numbers.data();
    result_.modes = copy(modes, 6, a.modes, a.mode_count);
    result_.mode_count = a.mode_count;
  }
  const Arguments<S>& arguments() const { return result_; }

 private:
  static std::size_t room(int n) { return static_cast<std::size_t>(n) + 2 * width; }
  template <class T>
  static const T* copy(T*& next, int number, const double* from, int n) {
    const double mark = marked(first_read + static_cast<std::uint64_t>(number));
    T* const first = next;
    next += room(n);
    for (T* x = first; x != next; ++x) fill(*x, mark);
    for (int i = 0; i < n; ++i) first[width + static_cast<std::size_t>(i)] = T(from[i]);
    return first + width;
  }
  Room<S> numbers_;
  Room<double> modes_;
  Arguments<S> result_;
};

// Runs the callable over S and leaves its output, guards included, in
// `out`. False: it rejected or threw, which is a numerical matter; the run will say where.
template <class S, class Slot>
bool run(const Function<Slot>& f, const Inputs<S>& inputs, int rows, int cols,
         std::vector<S>& out) {
  out.resize(static_cast<std::size_t>(rows * cols) + 2 * width);
  for (S& x : out) fill(x, marked(untouched));
  try {
    return f(inputs.arguments(), out.data() + width, rows, cols) == Eval::ok;
  } catch (const Reject&) {
    return false;
  } catch (const InvalidArgument&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    return false;
  }
}

// The input that a result was computed from outside of its bounds; -1: none.
template <class S>
int read_outside(const std::vector<S>& out) {
  for (std::size_t i = width; i + width < out.size(); ++i)
    if (const int k = read_input(out[i]); k >= 0) return k;
  return -1;
}

}  // namespace daedalus::guard
