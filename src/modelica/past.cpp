// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/past.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <daedalus/types.hpp>

#include "kernel/at.hpp"
#include "kernel/run_memory.hpp"

namespace daedalus::modelica {
namespace {

// Values this near to each other at one time are one; others are the sides of a jump.
constexpr double same_value = 1e-9;
constexpr int max_order = 3;     // of derivatives of the cubic
constexpr long neighbours = 3;   // that a cubic takes on one side at most
constexpr std::size_t few = 64;  // points: as many are left before any are taken away

// A list of a run's memory: the time when the run began, then pairs of time and value.
class History {
 public:
  explicit History(std::vector<double>& list) : list_(list) {}

  // No step is longer than the delay: what comes asks for no time before t - 2 delay.
  void write(double t, double e, double delay) {
    if (list_.size() % 2 == 0) list_.push_back(t);
    while (count() > 0 && at_time(count() - 1) > t) list_.resize(list_.size() - 2);
    list_.front() = std::min(list_.front(), t);
    const long n = count();
    const auto same = [e](double other) {
      return std::abs(other - e) <= same_value * (1.0 + std::abs(e));
    };
    if (n > 0 && at_time(n - 1) == t && (n == 1 || at_time(n - 2) == t || same(value(n - 1))))
      list_.back() = e;
    else
      list_.insert(list_.end(), {t, e});
    forget_before(t - 2.0 * delay);
  }

  bool begins_at(double t) const { return count() == 0 || t <= list_.front(); }

  // Derivative of this order at t.
  double at(double t, int order) const {
    const long n = count();
    if (n == 0) return 0.0;
    if (n == 1 || t < at_time(0)) return order == 0 ? value(0) : 0.0;
    const long above = std::clamp(first_above(t), 1L, n - 1);
    // As many as four neighbours without a jump between them.
    long first = above - 1, last = above;
    if (at_time(first) == at_time(last)) return order == 0 ? value(last) : 0.0;
    for (int grown = 1; grown > 0 && last - first < 3;) {
      grown = 0;
      if (first > 0 && at_time(first - 1) < at_time(first)) --first, ++grown;
      if (last - first < 3 && last + 1 < n && at_time(last + 1) > at_time(last)) ++last, ++grown;
    }
    return polynomial(first, static_cast<int>(last - first), t, order);
  }

 private:
  // A damaged checkpoint may have brought a list of another length.
  long count() const { return list_.empty() ? 0 : static_cast<long>((list_.size() - 1) / 2); }
  double at_time(long k) const { return list_[daedalus::at(1 + 2 * k)]; }
  double value(long k) const { return list_[daedalus::at(2 + 2 * k)]; }
  // Of the points in order, the first with a later time.
  long first_above(double t) const {
    long low = 0, high = count();
    while (low < high) {
      const long middle = low + (high - low) / 2;
      (t < at_time(middle) ? high : low) = t < at_time(middle) ? middle : middle + 1;
    }
    return low;
  }

  // Half of them at a time, so that each point is moved about once.
  void forget_before(double t) {
    const long old = first_above(t) - 1 - neighbours;
    if (count() < static_cast<long>(few) || 2 * old < count()) return;
    list_.erase(list_.begin() + 1, list_.begin() + 1 + 2 * old);
  }

  // Newton's divided differences, and their derivatives by Horner's rule.
  double polynomial(long p, int degree, double t, int order) const {
    double c[4], result[max_order + 1] = {0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k <= degree; ++k) c[k] = value(p + k);
    for (int j = 1; j <= degree; ++j)
      for (int k = degree; k >= j; --k)
        c[k] = (c[k] - c[k - 1]) / (at_time(p + k) - at_time(p + k - j));
    for (int k = degree; k >= 0; --k) {
      for (int d = max_order; d > 0; --d)
        result[d] = result[d] * (t - at_time(p + k)) + d * result[d - 1];
      result[0] = result[0] * (t - at_time(p + k)) + c[k];
    }
    return order <= max_order ? result[order] : 0.0;
  }

  std::vector<double>& list_;
};

// The list of this delay in the run that calls; null: none does, as where a problem is built.
std::vector<double>* list_of(int number, double mode) {
  if (std::isnan(mode))
    throw InvalidArgument(
        "delay(): values of the past are known during a run alone; ask for outputs at times of it "
        "(output_times, --points)");
  RunMemory* const memory = RunMemory::current();
  return memory ? &memory->list(number) : nullptr;
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

Function now(int number) {
  auto f = std::make_shared<graph::External>();
  f->name = "begins";
  f->argument_count = 3;
  f->value = [number](std::span<const double> x) {
    std::vector<double>* const list = list_of(number, x[0]);
    return !list || History(*list).begins_at(x[1]) ? 1.0 : 0.0;
  };
  f->partial.assign(3, zero(3, max_order));
  return f;
}

Function past(int number, double delay, int order) {
  if (order > max_order) return zero(3, max_order);
  auto f = std::make_shared<graph::External>();
  f->name = order == 0 ? "delayed" : "rate of delayed";
  f->argument_count = 3;
  f->value = [number, delay, order](std::span<const double> x) {
    std::vector<double>* const list = list_of(number, x[0]);
    if (!list || History(*list).begins_at(x[1])) return order == 0 ? x[2] : 0.0;
    return History(*list).at(x[1] - delay, order);
  };
  f->partial = {zero(3, max_order), past(number, delay, order + 1),
                order == 0 ? now(number) : zero(3, max_order)};
  return f;
}

}  // namespace

Function write_history(int number, double delay) {
  auto f = std::make_shared<graph::External>();
  f->name = "write";
  f->argument_count = 3;
  f->value = [number, delay](std::span<const double> x) {
    if (std::vector<double>* const list = list_of(number, x[0]))
      History(*list).write(x[1], x[2], delay);
    return 1.0;
  };
  f->partial.assign(3, zero(3, max_order));
  return f;
}

Function read_history(int number, double delay) { return past(number, delay, 0); }

}  // namespace daedalus::modelica
