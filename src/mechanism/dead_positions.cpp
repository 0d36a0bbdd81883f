// SPDX-License-Identifier: BSD-3-Clause
// Positions where the constraint rows that were kept lose rank: found on the way of a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <daedalus/solution.hpp>

#include "mechanism/assembly.hpp"
#include "mechanism/linearise.hpp"
#include "mechanism/stacked_rows.hpp"

namespace daedalus {

using namespace mechanism;

namespace {

// Minima between samples are looked at more closely from here on, in parts of the start; a dead
// position is where next to nothing is left.
constexpr double suspicious = 0.5, dead = 1e-5;

// The time of the smallest pivot between two times around a minimum, by golden sections: the pivot
// falls like |t - t*|, so that no parabola fits.
template <class Pivot>
double smallest_between(double from, double to, Pivot&& pivot) {
  // Golden section.
  constexpr double golden = 0.6180339887498949;
  double a = from, b = to, c = b - golden * (b - a), d = a + golden * (b - a);
  double at_c = pivot(c), at_d = pivot(d);
  for (int k = 0; k < 60 && b - a > 1e-13 * std::max(1.0, std::abs(b)); ++k) {
    if (at_c < at_d) {
      b = d, d = c, at_d = at_c;
      c = b - golden * (b - a), at_c = pivot(c);
    } else {
      a = c, c = d, at_c = at_d;
      d = a + golden * (b - a), at_d = pivot(d);
    }
  }
  return at_c < at_d ? c : d;
}

bool has_dense_output(const Solution& run) {
  const std::vector<double>& t = run.times();
  try {
    run.at(t[0] + 0.5 * (t[1] - t[0]));
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

}  // namespace

std::string DeadPosition::text() const {
  return fmt::format(
      "the joints {} lose hold of each other near t = {:.6g} (smallest pivot {:.1g} of its start "
      "value): a dead position, where the motion is not determined by the constraints alone",
      fmt::join(joints, ", "), t, pivot);
}

Hold Assembled::hold(const StateView& state) const {
  Hold hold;
  if (plan_->rows.empty() && plan_->nonholonomic.empty()) return hold;
  Eigen::VectorXd norms;
  constexpr double nothing = 1e-15;  // of rounding
  const SparseMatrix rows = stacked_rows(*plan_, state.t(), state.q(),
                                         coordinates_at(*plan_, state.q().data(), state.t()));
  const RowRank rank = rank_in_order(with_unit_rows(by_mass(*plan_, rows), norms), nothing);
  hold.pivot = rank.dependent.empty() ? rank.smallest_pivot : 0.0;
  const DependentRow& weakest = rank.dependent.empty() ? rank.weakest : rank.dependent.front();
  if (weakest.row >= 0) hold.joints = joints_in(*plan_, weakest);
  return hold;
}

std::vector<DeadPosition> Assembled::dead_positions(const Solution& run, int points) const {
  std::vector<DeadPosition> found;
  const std::vector<double>& times = run.times();
  if (times.size() < 2 || (plan_->rows.empty() && plan_->nonholonomic.empty())) return found;
  const bool dense = has_dense_output(run);
  std::vector<double> at;
  if (dense) {
    const double from = times.front(), to = times.back();
    const int n = std::clamp(4 * static_cast<int>(times.size()), 8, points);
    for (int k = 0; k <= n; ++k) at.push_back(k == n ? to : from + (to - from) * k / n);
  } else {
    const auto stride = std::max<std::size_t>(1, times.size() / static_cast<std::size_t>(points));
    for (std::size_t k = 0; k < times.size(); k += stride) at.push_back(times[k]);
    if (at.back() != times.back()) at.push_back(times.back());
  }
  const auto state_at = [&](double t) { return t == times.back() ? run.end() : run.at(t); };
  const auto pivot_at = [&](double t) { return hold(state_at(t)).pivot; };
  std::vector<double> pivots;
  for (const double t : at) pivots.push_back(pivot_at(t));
  const double start = pivots.front();
  for (std::size_t k = 1; k < at.size(); ++k) {
    const bool last = k + 1 == at.size();
    const bool minimum = pivots[k] < pivots[k - 1] && (last || pivots[k] <= pivots[k + 1]);
    if (!minimum || !(pivots[k] < suspicious * start)) continue;
    const double t =
        dense ? smallest_between(at[k - 1], last ? at[k] : at[k + 1], pivot_at) : at[k];
    const Hold there = hold(state_at(t));
    if (there.pivot < dead * start) found.push_back({t, there.pivot / start, there.joints});
  }
  return found;
}

}  // namespace daedalus
