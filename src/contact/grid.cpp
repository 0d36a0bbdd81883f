// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include <daedalus/contact.hpp>

namespace daedalus {

namespace {

// Gauss-Legendre points and weights on [-1, 1]: zeros of P_n by Newton's method from Tricomi's
// guess (Abramowitz and Stegun 1964, 25.4.29 and 22.16.6).
struct Legendre {
  std::vector<double> x, w;
};
Legendre legendre(int n) {
  Legendre rule;
  rule.x.resize(static_cast<std::size_t>(n));
  rule.w.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    double x = -std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1.0;
    for (int k = 0; k < 10; ++k) {
      double before = 1.0, p = x;
      for (int j = 2; j <= n; ++j) {
        const double next = ((2 * j - 1) * x * p - (j - 1) * before) / j;
        before = p;
        p = next;
      }
      slope = n * (x * p - before) / (x * x - 1.0);
      x -= p / slope;
    }
    rule.x[static_cast<std::size_t>(i)] = x;
    rule.w[static_cast<std::size_t>(i)] = 2.0 / ((1.0 - x * x) * slope * slope);
  }
  return rule;
}

void check_breaks(const std::vector<double>& breaks, const char* who) {
  if (breaks.size() < 2)
    throw InvalidArgument(
        fmt::format("{}: {} breaks given, allowed: at least 2", who, breaks.size()));
}

}  // namespace

ContactGrid::ContactGrid(std::vector<double> points) {
  if (points.size() < 2)
    throw InvalidArgument(fmt::format(
        "contact grid: {} points given, allowed: at least 2, the first is the lower end",
        points.size()));
  low_ = points.front();
  high_ = points.back();
  for (std::size_t i = 1; i < points.size(); ++i) {
    points_.push_back(points[i]);
    weights_.push_back(points[i] - points[i - 1]);
    if (!(weights_.back() > 0.0) || !std::isfinite(weights_.back()))
      throw InvalidArgument(
          fmt::format("contact grid: point {} is {} after {}, allowed: finite and increasing", i,
                      points[i], points[i - 1]));
  }
  check();
}

ContactGrid::ContactGrid(double low, double high, std::vector<double> points,
                         std::vector<double> weights)
    : low_(low), high_(high), points_(std::move(points)), weights_(std::move(weights)) {
  check();
}

void ContactGrid::check() {
  const int n = size();
  if (n < 1 || n > largest)
    throw InvalidArgument(
        fmt::format("contact grid: {} points with a weight, allowed: 1 to {}", n, largest));
  if (weights_.size() != points_.size())
    throw InvalidArgument(fmt::format("contact grid: {} weights for {} points, allowed: one each",
                                      weights_.size(), n));
  if (!std::isfinite(low_) || !std::isfinite(high_) || !(low_ < high_))
    throw InvalidArgument(fmt::format(
        "contact grid: interval [{}, {}], allowed: finite ends, low below high", low_, high_));
  double before = low_, sum = 0.0;
  for (int i = 0; i < n; ++i) {
    const double s = point(i), w = weight(i);
    const bool rising = i == 0 ? s >= low_ : s > before;
    if (!rising || !(s <= high_))
      throw InvalidArgument(
          fmt::format("contact grid: point {} is {}, allowed: increasing, finite, within [{}, {}]",
                      i, s, low_, high_));
    if (!(w > 0.0) || !std::isfinite(w))
      throw InvalidArgument(fmt::format(
          "contact grid: weight {} at s = {} is {}, allowed: positive and finite", i, s, w));
    before = s;
    sum += w;
  }
  for (double& w : weights_) w /= sum;
}

ContactGrid ContactGrid::uniform(double low, double high, int intervals) {
  return graded({low, high}, {intervals});
}

ContactGrid ContactGrid::graded(const std::vector<double>& breaks,
                                const std::vector<int>& intervals) {
  check_breaks(breaks, "contact grid");
  if (intervals.size() + 1 != breaks.size())
    throw InvalidArgument(fmt::format(
        "contact grid: {} numbers of intervals for {} breaks, allowed: one less than breaks",
        intervals.size(), breaks.size()));
  std::vector<double> points{breaks.front()};
  for (std::size_t k = 0; k < intervals.size(); ++k) {
    const int n = intervals[k];
    if (n < 1 || n > largest)
      throw InvalidArgument(
          fmt::format("contact grid: {} intervals in piece {}, allowed: 1 to {}", n, k, largest));
    for (int i = 1; i < n; ++i) points.push_back(breaks[k] + (breaks[k + 1] - breaks[k]) * i / n);
    points.push_back(breaks[k + 1]);
  }
  return ContactGrid(std::move(points));
}

ContactGrid ContactGrid::gauss(const std::vector<double>& breaks, int points_per_panel) {
  check_breaks(breaks, "contact grid");
  if (points_per_panel < 1 || points_per_panel > 64)
    throw InvalidArgument(
        fmt::format("contact grid: {} points per panel, allowed: 1 to 64", points_per_panel));
  const Legendre rule = legendre(points_per_panel);
  std::vector<double> points, weights;
  for (std::size_t k = 0; k + 1 < breaks.size(); ++k) {
    const double middle = 0.5 * (breaks[k] + breaks[k + 1]);
    const double half = 0.5 * (breaks[k + 1] - breaks[k]);
    for (std::size_t i = 0; i < rule.x.size(); ++i) {
      points.push_back(middle + half * rule.x[i]);
      weights.push_back(half * rule.w[i]);
    }
  }
  return ContactGrid(breaks.front(), breaks.back(), std::move(points), std::move(weights));
}

// FNV-1a over the bits of all numbers.
unsigned long long ContactGrid::hash() const {
  unsigned long long h = 14695981039346656037ULL;
  const auto add = [&h](double x) {
    unsigned long long bits;
    std::memcpy(&bits, &x, sizeof bits);
    for (int k = 0; k < 8; ++k) h = (h ^ ((bits >> (8 * k)) & 255U)) * 1099511628211ULL;
  };
  add(low_);
  add(high_);
  for (const double x : points_) add(x);
  for (const double x : weights_) add(x);
  return h;
}

namespace detail {

void check_contact_parameter(double nu) {
  if (!(nu > 0.0) || !std::isfinite(nu))
    throw InvalidArgument(fmt::format("contact: nu is {}, allowed: positive and finite", nu));
}

}  // namespace detail

}  // namespace daedalus
