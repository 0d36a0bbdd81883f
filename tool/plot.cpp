// SPDX-License-Identifier: BSD-3-Clause
#include "tool/plot.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace daedalus::cli {
namespace {

// Curves 30 times smaller than the largest of a panel are hardly seen.
constexpr double visible_part = 1.0 / 30.0;
// More colours than this cannot be told apart.
constexpr std::size_t max_curves = 7;
constexpr std::size_t max_panels = 12;

double size_of_curve(const Trajectory& trajectory, int variable) {
  double largest = 0.0;
  for (const Eigen::VectorXd& y : trajectory.y)
    if (std::isfinite(y[variable])) largest = std::max(largest, std::abs(y[variable]));
  return largest;
}

}  // namespace

std::vector<Panel> arrange(const Variables& variables, const Trajectory& trajectory) {
  std::map<std::pair<VariableClass, int>, std::vector<std::pair<double, int>>> groups;
  for (const Variables::Range& range : variables.ranges)
    for (int i = range.first; i < range.first + range.count; ++i)
      groups[{range.cls, range.index}].emplace_back(size_of_curve(trajectory, i), i);
  std::vector<Panel> panels;
  for (auto& [group, curves] : groups) {
    std::stable_sort(curves.begin(), curves.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    double largest = 0.0;
    for (std::size_t k = 0; k < curves.size(); ++k) {
      const auto [size, variable] = curves[k];
      const bool flat = size > 0.0 && size < visible_part * largest;
      if (k == 0 || flat || panels.back().variables.size() == max_curves) {
        panels.push_back({std::string(to_string(group.first)), {}});
        largest = size;
      }
      panels.back().variables.push_back(variable);
    }
  }
  for (Panel& panel : panels) std::sort(panel.variables.begin(), panel.variables.end());
  if (panels.size() > max_panels) panels.resize(max_panels);
  return panels;
}

std::vector<DriftSample> envelope(const std::vector<DriftSample>& drift, std::size_t most) {
  std::vector<DriftSample> result;
  const std::size_t share = (drift.size() + most - 1) / std::max<std::size_t>(most, 1);
  for (std::size_t i = 0; i < drift.size(); ++i) {
    if (i % share == 0) {
      result.push_back(drift[i]);
      continue;
    }
    DriftSample& so_far = result.back();
    so_far.t = drift[i].t;
    for (double DriftSample::*level :
         {&DriftSample::position, &DriftSample::velocity, &DriftSample::acceleration})
      if (drift[i].*level > so_far.*level) so_far.*level = drift[i].*level;
  }
  return result;
}

bool logarithmic_time(const std::vector<double>& t) {
  if (t.size() < 3 || t.front() < 0.0 || !(t.back() > t.front())) return false;
  const double median = t[t.size() / 2];
  return median - t.front() < 1e-3 * (t.back() - t.front());
}

}  // namespace daedalus::cli
