// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <daedalus/ensemble_study.hpp>

namespace daedalus {
namespace {

// Equal quotients, as of FROM:TO:COUNT:log; then the middle is that of the logarithms.
bool has_equal_quotients(const std::vector<double>& values) {
  // Rounding of pow over a range; equidistant values are off by far more.
  constexpr double rounding = 1e-9;
  if (values.size() < 3 || values.front() <= 0.0) return false;
  const double first = values[1] / values[0];
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!(values[i] > 0.0) || std::abs(values[i] / values[i - 1] / first - 1.0) > rounding)
      return false;
  return first != 1.0;
}

struct Range {
  double low = INFINITY, high = -INFINITY;
};

std::vector<Range> ranges_of(const std::vector<EnsembleRun>& runs) {
  std::vector<Range> ranges;
  for (const EnsembleRun& run : runs) {
    if (!run.ok) continue;
    ranges.resize(std::max(ranges.size(), run.y.size()));
    for (std::size_t j = 0; j < run.y.size(); ++j) {
      ranges[j].low = std::min(ranges[j].low, run.y[j]);
      ranges[j].high = std::max(ranges[j].high, run.y[j]);
    }
  }
  return ranges;
}

double change_between(const EnsembleRun& a, const EnsembleRun& b, const std::vector<Range>& all) {
  if (a.ok != b.ok) return 1.0;
  if (!a.ok) return 0.0;
  double largest = 0.0;
  for (std::size_t j = 0; j < std::min(a.y.size(), b.y.size()); ++j) {
    const double width = all[j].high - all[j].low;
    if (width > 0.0) largest = std::max(largest, std::abs(a.y[j] - b.y[j]) / width);
  }
  return largest;
}

}  // namespace

GridRefinement::GridRefinement(const ParameterGrid& grid, const RefinementSettings& settings)
    : settings_(settings) {
  if (!(settings.change > 0.0 && settings.change <= 1.0))
    throw InvalidArgument(
        fmt::format("the change to refine at is {}; 0 < change <= 1 must hold", settings.change));
  constexpr int most_levels = 40;  // of the 53 bits of a number
  if (settings.levels < 1 || settings.levels > most_levels)
    throw InvalidArgument(
        fmt::format("levels is {}; allowed are 1 to {}", settings.levels, most_levels));
  std::size_t stride = grid.size();
  for (std::size_t axis = 0; axis < grid.axes().size(); ++axis) {
    const std::vector<double>& values = grid.axes()[axis].values;
    const std::size_t block = stride;  // of one value of the slower axes
    stride /= values.size();
    logarithmic_.push_back(has_equal_quotients(values));
    std::vector<std::size_t> order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
    for (std::size_t begin = 0; begin < grid.size(); begin += block)
      for (std::size_t rest = 0; rest < stride; ++rest)
        for (std::size_t i = 0; i + 1 < order.size(); ++i)
          edges_.push_back(
              {begin + order[i] * stride + rest, begin + order[i + 1] * stride + rest, axis, 0});
  }
  if (edges_.empty())
    throw InvalidArgument("refinement needs a parameter with at least two values");
}

std::size_t GridRefinement::refine(ParameterPlan& plan, const std::vector<EnsembleRun>& runs) {
  if (runs.size() != plan.size())
    throw InvalidArgument(
        fmt::format("{} runs are given for a plan of {}", runs.size(), plan.size()));
  const std::vector<Range> ranges = ranges_of(runs);
  struct Wanted {
    double change;
    std::size_t edge;
  };
  std::vector<Wanted> wanted;
  exhausted_ = false;
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const double change = change_between(runs[edges_[e].from], runs[edges_[e].to], ranges);
    if (!(change > settings_.change)) continue;
    if (edges_[e].level < settings_.levels)
      wanted.push_back({change, e});
    else
      exhausted_ = true;
  }
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const Wanted& a, const Wanted& b) { return a.change > b.change; });
  const std::size_t room = settings_.max_runs - std::min(added_, settings_.max_runs);
  if (wanted.size() > room) {
    wanted.resize(room);
    exhausted_ = true;
  }
  for (const Wanted& w : wanted) {
    Edge& edge = edges_[w.edge];
    std::vector<double> point(plan.point(edge.from).begin(), plan.point(edge.from).end());
    const double a = point[edge.axis], b = plan.point(edge.to)[edge.axis];
    point[edge.axis] = logarithmic_[edge.axis] ? std::sqrt(a) * std::sqrt(b) : 0.5 * a + 0.5 * b;
    const std::size_t middle = plan.size();
    plan.add(point);
    ++edge.level;
    const Edge second{middle, edge.to, edge.axis, edge.level};
    edge.to = middle;
    edges_.push_back(second);
  }
  added_ += wanted.size();
  return wanted.size();
}

}  // namespace daedalus
