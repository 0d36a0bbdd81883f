// SPDX-License-Identifier: BSD-3-Clause
// Zeros of a function along a step: between samples, where its sign changes, and at dips, where it
// reaches the other side between two samples and comes back.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "kernel/bracketing.hpp"

namespace daedalus {

// Subintervals of a step that are searched for changes of sign: interpolants turn seldom more
// often. Functions that turn more often than their step is short (a clock sin(w t) beside a slow
// solution) get as many as they need, up to the second number.
inline constexpr int crossing_samples = 4, max_crossing_samples = 512;

struct CrossingSample {
  double t, f;
};

// `value(t)` is the function, `found(t, direction)` is called for each zero, with 1 where it rises
// and -1 where it falls; `wanted` is the one of these that counts, 0 for both.
template <class Value, class Found>
class CrossingSearch {
 public:
  CrossingSearch(Value& value, Found& found, double t0, double h, int wanted = 0)
      : value_(value), found_(found), t0_(t0), h_(h), wanted_(wanted) {}

  // From `first`, at t0 or behind it, to `end`, at t0 + h.
  void look(const CrossingSample& first, const CrossingSample& end) {
    // Beside the ends, where a dip between the last samples would not be seen.
    constexpr double beside = 0.01;
    before_ = last_ = first;
    end_ = end.t;
    inner_[0] = first.t == t0_ ? first.f : std::numeric_limits<double>::quiet_NaN();
    for (int s = 1; s < crossing_samples; ++s) inner_[index(s)] = value_(at(s, crossing_samples));
    inner_[index(crossing_samples)] = end.f;
    const int n = subintervals();
    for (int s = 0; s < n; ++s) {
      if (s > 0 && std::abs(at(s, n) - t0_) > std::abs(first.t - t0_))
        take({at(s, n), n == crossing_samples ? inner_[index(s)] : value_(at(s, n))});
      // A step that ends at an event may end round-off before it.
      if (s == 0 ? first.f == 0.0 : s < n - 1) continue;
      const double t = t0_ + (s == 0 ? beside : n - beside) / n * h_;
      if (std::abs(t - t0_) > std::abs(first.t - t0_)) sample(t);
    }
    take(end);
  }

 private:
  void sample(double t) { take({t, value_(t)}); }
  static std::size_t index(int s) { return static_cast<std::size_t>(s); }
  double at(int s, int n) const { return t0_ + static_cast<double>(s) / n * h_; }

  // Whether so many samples tell the function: between four of them it is where their cubic is.
  // Looked at by the golden section, no multiple of a period that samples have missed.
  bool resolved(int n) const {
    constexpr double probe = 0.6180339887498949;  // the golden section
    // A handler that has just acted may have left a jump at the beginning.
    return resolved_at(probe, n) && (std::isnan(inner_[0]) || resolved_at(1.0 - probe, n));
  }
  bool resolved_at(double probe, int n) const {
    constexpr double off = 0.05;  // of the range of the samples
    const int first = static_cast<int>(probe * n) - 1;
    const double x = probe * n - first, here = value_(t0_ + probe * h_);
    double cubic = 0.0, least = here, most = here;
    for (int j = 0; j < 4; ++j) {
      const double f = n == crossing_samples ? inner_[index(first + j)] : value_(at(first + j, n));
      double weight = 1.0;
      for (int k = 0; k < 4; ++k)
        if (k != j) weight *= (x - k) / (j - k);
      cubic += weight * f;
      least = std::min(least, f);
      most = std::max(most, f);
    }
    return std::abs(cubic - here) <= off * (most - least);
  }

  // Noise passes one test by chance, and is not worth a search: two in a row.
  int subintervals() const {
    if (resolved(crossing_samples)) return crossing_samples;
    for (int n = 2 * crossing_samples; n < max_crossing_samples; n *= 2)
      if (resolved(n) && resolved(2 * n)) return 2 * n;
    return crossing_samples;
  }

  void take(const CrossingSample& now) {
    if (now.f == 0.0 && now.t != end_) {  // the next sample tells whether it only touches
      if (!zero_) zero_ = now.t;
      return;
    }
    if (last_.f * now.f > 0.0 && before_.f * last_.f > 0.0 && before_.t != last_.t && !zero_)
      dip(before_, last_, now);
    else
      cross(last_, now, zero_);
    before_ = zero_ ? now : last_;
    last_ = now;
    zero_.reset();
  }

  void cross(const CrossingSample& a, const CrossingSample& b, std::optional<double> root) {
    const bool rising = a.f < 0.0 && b.f >= 0.0, falling = a.f > 0.0 && b.f <= 0.0;
    if (!(rising && wanted_ >= 0) && !(falling && wanted_ <= 0)) return;
    const double tolerance = 4e-16 * std::max(std::abs(a.t), std::abs(b.t)) + 1e-14 * std::abs(h_);
    if (!root) root = bracketed_root(std::ref(value_), {a.t, a.f, b.t, b.f}, tolerance);
    found_(first_zero(a.t, *root, tolerance), rising ? 1 : -1);
  }

  // A function that stays at zero (min(0, y - 1)) crosses where it gets there, not where a sample
  // or a bracketing method happens to meet it.
  double first_zero(double before, double root, double tolerance) {
    // Of the step: a ninth power is 1e-81 there.
    constexpr double beside = 1e-9;
    const double nearer = root - std::copysign(std::max(beside * std::abs(h_), tolerance), h_);
    const auto zero = [this](double t) { return value_(t) == 0.0; };
    if (std::abs(nearer - before) >= std::abs(root - before) || !zero(nearer) || !zero(root))
      return root;
    double away = before;
    constexpr int max_halvings = 100;  // the tolerance ends it after some 50
    halve(root, away, zero, max_halvings, tolerance);
    return root;
  }

  // |f| is smaller at m than at its neighbours: it may reach the other side between them and come
  // back.
  void dip(const CrossingSample& a, const CrossingSample& m, const CrossingSample& b) {
    const double side = m.f > 0.0 ? 1.0 : -1.0;
    if (!(side * a.f >= side * m.f && side * b.f >= side * m.f)) return;
    if (a.f == m.f && b.f == m.f) return;  // it is constant
    const auto towards = [&](double t) { return side * value_(t); };
    const double t = lowest_point(std::ref(towards), a.t, b.t);
    const CrossingSample low{t, value_(t)};
    if (!(side * low.f < 0.0)) return;
    cross(a, low, {});
    cross(low, b, {});
  }

  Value& value_;
  Found& found_;
  double t0_, h_, end_ = 0.0;
  int wanted_;
  std::array<double, crossing_samples + 1> inner_{};
  CrossingSample before_{}, last_{};
  std::optional<double> zero_{};  // where the function was zero since last_
};

}  // namespace daedalus
