// SPDX-License-Identifier: BSD-3-Clause
// Global search for the rigid contact point: the best grid point, then Newton's method for
// zeta_s = 0 inside the neighbouring intervals, guarded by bisection.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <daedalus/contact.hpp>

namespace daedalus::detail {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// The search points: both ends of the interval and the grid.
class Nodes {
 public:
  Nodes(const ContactGrid& grid, const ContactProbe& probe) : grid_(grid) {
    first_ = grid.point(0) > grid.low() ? 1 : 0;
    const int last = grid.point(grid.size() - 1) < grid.high() ? 1 : 0;
    count_ = first_ + grid.size() + last;
    values_.front() = nothing;  // there is always one; compilers do not see it
    for (int i = 0; i < count_; ++i) {
      values_[static_cast<std::size_t>(i)] = probe.value(s(i));
      // An end that carries no weight may lie on the rim of the domain of zeta.
      if (std::isnan(values_[static_cast<std::size_t>(i)]) &&
          (i < first_ || i - first_ >= grid.size()))
        values_[static_cast<std::size_t>(i)] = -std::numeric_limits<double>::infinity();
    }
  }
  int count() const { return count_; }
  double s(int i) const {
    if (i < first_) return grid_.low();
    return i - first_ < grid_.size() ? grid_.point(i - first_) : grid_.high();
  }
  double value(int i) const { return values_[static_cast<std::size_t>(i)]; }
  // The largest value with number in [from, to], -1 when a value is not a number.
  int best(int from, int to) const {
    int k = from;
    for (int i = from; i <= to; ++i) {
      if (std::isnan(values_[static_cast<std::size_t>(i)])) return -1;
      if (values_[static_cast<std::size_t>(i)] > values_[static_cast<std::size_t>(k)]) k = i;
    }
    return k;
  }

 private:
  const ContactGrid& grid_;
  int first_ = 0, count_ = 0;
  std::array<double, ContactGrid::largest + 2> values_;  // the first count_ are set
};

RigidContact refine(const Nodes& nodes, const ContactProbe& probe, int k) {
  double a = nodes.s(std::max(k - 1, 0)), b = nodes.s(std::min(k + 1, nodes.count() - 1));
  double s = nodes.s(k);
  // At an end of the interval the slope may be infinite; only its direction inwards matters.
  if (k == 0 || k == nodes.count() - 1) {
    const double inside = s + 1e-9 * ((k == 0 ? b : a) - s);
    if (!(probe.value(inside) > nodes.value(k))) return {s, nodes.value(k), nothing, false};
    s = inside;
  }
  ContactShape at = probe.shape(s);
  for (int i = 0; i < 100; ++i) {
    (at.slope > 0.0 ? a : b) = s;
    double next = s - at.slope / at.curvature;
    if (!(at.curvature < 0.0) || !(next > a) || !(next < b)) next = 0.5 * (a + b);
    const double step = next - s;
    s = next;
    at = probe.shape(s);
    if (std::abs(step) <=
        4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(s), b - a))
      break;
  }
  return {s, at.value, at.curvature, true};
}

}  // namespace

RigidContact search_contact(const ContactGrid& grid, const ContactProbe& probe) {
  const Nodes nodes(grid, probe);
  const int k = nodes.best(0, nodes.count() - 1);
  if (k < 0) return {nothing, nothing, nothing, false};
  RigidContact best = refine(nodes, probe, k);
  // Two hills of nearly the same height: the higher grid point need not lie on the higher hill.
  const double spread = nodes.value(k);
  for (int i = 1; i + 1 < nodes.count(); ++i) {
    if (std::abs(i - k) < 2 || !std::isfinite(nodes.value(i)) ||
        nodes.value(i) < nodes.value(i - 1) || nodes.value(i) < nodes.value(i + 1))
      continue;
    // A grid point lies below its summit by no more than it lies above its neighbours' mean.
    const double sag = 2.0 * nodes.value(i) - nodes.value(i - 1) - nodes.value(i + 1);
    if (nodes.value(i) + sag < spread) continue;
    const RigidContact other = refine(nodes, probe, i);
    if (other.value > best.value) best = other;
  }
  return best;
}

RigidContact contact_rival(const ContactGrid& grid, const ContactProbe& probe, double s,
                           ContactSide side, double& least) {
  const Nodes nodes(grid, probe);
  const int last = nodes.count() - 1;
  const int top = nodes.best(0, last);
  RigidContact rival{nothing, -std::numeric_limits<double>::infinity(), nothing, false};
  least = nothing;
  if (top < 0) return rival;
  least = nodes.value(top);
  for (int i = 0; i <= last; ++i)
    if (std::isfinite(nodes.value(i))) least = std::min(least, nodes.value(i));
  int right = 0;
  while (right < last && nodes.s(right) < s) ++right;
  int left = std::max(right - 1, 0);
  while (left > 0 && nodes.value(left - 1) <= nodes.value(left)) --left;
  while (right < last && nodes.value(right + 1) <= nodes.value(right)) ++right;
  const auto challenge = [&](int from, int to) {
    if (from > to) return;
    const RigidContact best = refine(nodes, probe, nodes.best(from, to));
    if (best.value > rival.value) rival = best;
  };
  if (side != ContactSide::right) challenge(0, left - 1);
  if (side != ContactSide::left) challenge(right + 1, last);
  return rival;
}

double settle_contact(const ContactProbe& probe, double s) {
  for (int i = 0; i < 20; ++i) {
    const ContactShape at = probe.shape(s);
    const double step = at.slope / at.curvature;
    s -= step;
    if (!(std::abs(step) > 1e-15 * std::abs(s))) break;
  }
  return s;
}

}  // namespace daedalus::detail
