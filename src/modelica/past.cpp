// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/past.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <random>
#include <unordered_map>
#include <vector>

#include <daedalus/types.hpp>

#include "kernel/at.hpp"

namespace daedalus::modelica {
namespace {

// Problems that are built but not run, and runs that are over, leave histories behind: the oldest
// go when there are more than this. No machine has so many runs at once.
constexpr std::uint64_t max_histories = 4096;
// Values this near to each other at one time are one; others are the sides of a jump.
constexpr double same_value = 1e-9;
constexpr int max_order = 3;  // of derivatives of the cubic

class History {
 public:
  void write(double t, double e) {
    while (!points_.empty() && points_.back().t > t) points_.pop_back();
    const std::size_t n = points_.size();
    const auto same = [e](double other) {
      return std::abs(other - e) <= same_value * (1.0 + std::abs(e));
    };
    if (n > 0 && points_[n - 1].t == t &&
        (n == 1 || points_[n - 2].t == t || same(points_[n - 1].e)))
      points_[n - 1].e = e;
    else
      points_.push_back({t, e});
  }

  bool begins_at(double t) const { return points_.empty() || t <= points_.front().t; }

  // Derivative of this order at t.
  double at(double t, int order) const {
    if (points_.empty()) return 0.0;
    if (points_.size() == 1 || t < points_.front().t) return order == 0 ? points_.front().e : 0.0;
    const auto above = std::upper_bound(points_.begin() + 1, points_.end() - 1, t,
                                        [](double x, const Point& p) { return x < p.t; });
    // As many as four neighbours without a jump between them.
    auto first = above - 1, last = above;
    if (first->t == last->t) return order == 0 ? last->e : 0.0;
    for (int grown = 1; grown > 0 && last - first < 3;) {
      grown = 0;
      if (first != points_.begin() && (first - 1)->t < first->t) --first, ++grown;
      if (last - first < 3 && last + 1 != points_.end() && (last + 1)->t > last->t) ++last, ++grown;
    }
    return polynomial(first, static_cast<int>(last - first), t, order);
  }

 private:
  struct Point {
    double t, e;
  };

  // Newton's divided differences, and their derivatives by Horner's rule.
  static double polynomial(std::vector<Point>::const_iterator p, int degree, double t, int order) {
    double c[4], value[max_order + 1] = {0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k <= degree; ++k) c[k] = (p + k)->e;
    for (int j = 1; j <= degree; ++j)
      for (int k = degree; k >= j; --k) c[k] = (c[k] - c[k - 1]) / ((p + k)->t - (p + k - j)->t);
    for (int k = degree; k >= 0; --k) {
      for (int d = max_order; d > 0; --d) value[d] = value[d] * (t - (p + k)->t) + d * value[d - 1];
      value[0] = value[0] * (t - (p + k)->t) + c[k];
    }
    return order <= max_order ? value[order] : 0.0;
  }

  std::vector<Point> points_;
};

class Histories {
 public:
  double add() {
    const std::lock_guard lock(mutex_);
    all_.emplace(++last_, std::make_shared<History>());
    all_.erase(last_ - max_histories);
    return static_cast<double>(last_);
  }

  History& of(double number) {
    // Asked for again and again by the same run.
    thread_local std::vector<std::pair<double, std::shared_ptr<History>>> known;
    for (const auto& [n, history] : known)
      if (n == number) return *history;
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(static_cast<std::uint64_t>(number));
    if (found == all_.end())
      throw InvalidArgument(
          "delay(): the values of the past are gone. A run with delays cannot be resumed from a "
          "checkpoint; run it from the beginning");
    constexpr std::size_t many = 64;  // of one run; a longer list would be slow to look through
    if (known.size() >= many) known.erase(known.begin());
    known.emplace_back(number, found->second);
    return *found->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<History>> all_;
  // Of no other process: a checkpoint may bring numbers of one.
  std::uint64_t last_ = max_histories + (std::uint64_t{std::random_device{}()} << 16);
};

Histories& histories() {
  static Histories all;
  return all;
}

using Function = std::shared_ptr<const graph::External>;

Function zero(int arguments, int depth) {
  auto f = std::make_shared<graph::External>();
  f->name = "zero";
  f->argument_count = arguments;
  f->value = [](std::span<const double>) { return 0.0; };
  if (depth > 0) f->partial.assign(at(arguments), zero(arguments, depth - 1));
  return f;
}

Function now() {
  auto f = std::make_shared<graph::External>();
  f->name = "begins";
  f->argument_count = 3;
  f->value = [](std::span<const double> x) {
    return histories().of(x[0]).begins_at(x[1]) ? 1.0 : 0.0;
  };
  f->partial.assign(3, zero(3, max_order));
  return f;
}

Function past(double delay, int order) {
  if (order > max_order) return zero(3, max_order);
  auto f = std::make_shared<graph::External>();
  f->name = order == 0 ? "delayed" : "rate of delayed";
  f->argument_count = 3;
  f->value = [delay, order](std::span<const double> x) {
    const History& h = histories().of(x[0]);
    if (h.begins_at(x[1])) return order == 0 ? x[2] : 0.0;
    return h.at(x[1] - delay, order);
  };
  f->partial = {zero(3, max_order), past(delay, order + 1),
                order == 0 ? now() : zero(3, max_order)};
  return f;
}

}  // namespace

Function new_history() {
  auto f = std::make_shared<graph::External>();
  f->name = "new history";
  f->argument_count = 1;
  f->value = [](std::span<const double>) { return histories().add(); };
  f->partial = {zero(1, max_order)};
  return f;
}

Function write_history() {
  auto f = std::make_shared<graph::External>();
  f->name = "write";
  f->argument_count = 3;
  f->value = [](std::span<const double> x) {
    histories().of(x[0]).write(x[1], x[2]);
    return 1.0;
  };
  f->partial.assign(3, zero(3, max_order));
  return f;
}

Function read_history(double delay) { return past(delay, 0); }

}  // namespace daedalus::modelica
