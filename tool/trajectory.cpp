// SPDX-License-Identifier: BSD-3-Clause
#include "tool/trajectory.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::cli {
namespace {

// A curve of this many points looks smooth at the width of a screen.
constexpr std::size_t smooth_points = 1000;
constexpr std::size_t max_points = 4000;  // four per pixel of a wide plot

void add(Trajectory& trajectory, const ModelState& state) {
  trajectory.t.push_back(state.t());
  trajectory.y.emplace_back(state.y());
}

Trajectory named_after(const Solution& solution) {
  Trajectory trajectory;
  trajectory.names = solution.variables().names;
  return trajectory;
}

// Steps alone are too few where they are long, and too many where they are short.
std::vector<double> picture_times(const std::vector<double>& steps, bool logarithmic) {
  std::vector<double> times;
  const std::size_t stride = (steps.size() + max_points - 1) / max_points;
  const std::size_t pieces = (smooth_points + steps.size() - 1) / steps.size();
  for (std::size_t i = 0; i < steps.size(); i += stride) {
    times.push_back(steps[i]);
    for (std::size_t k = 1; k < pieces && i + 1 < steps.size(); ++k) {
      const double part = static_cast<double>(k) / static_cast<double>(pieces);
      times.push_back(logarithmic && steps[i] > 0.0
                          ? steps[i] * std::pow(steps[i + 1] / steps[i], part)
                          : steps[i] + part * (steps[i + 1] - steps[i]));
    }
  }
  if (stride > 1)
    for (std::size_t k = 0; k < smooth_points; ++k)
      times.push_back(steps.front() + (steps.back() - steps.front()) * static_cast<double>(k) /
                                          static_cast<double>(smooth_points));
  times.push_back(steps.back());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (steps.back() < steps.front()) std::reverse(times.begin(), times.end());
  return times;
}

}  // namespace

std::vector<double> sample_times(double from, double to, int points) {
  std::vector<double> times;
  for (int i = 0; i < points; ++i)
    times.push_back(i + 1 == points ? to : from + (to - from) * i / (points - 1));
  return times;
}

Trajectory sample(const Solution& solution, double from, double to, int points) {
  Trajectory trajectory = named_after(solution);
  if (points <= 0) {
    for (std::size_t i = 0; i < solution.times().size(); ++i) add(trajectory, solution.state(i));
    return trajectory;
  }
  const double end = solution.end_time();
  const double direction = to >= from ? 1.0 : -1.0;
  for (const double t : sample_times(from, to, points)) {
    if (direction * (end - t) < 0.0) break;
    add(trajectory, t == end ? solution.end() : solution.at(t));
  }
  if (trajectory.empty() || trajectory.t.back() != end) add(trajectory, solution.end());
  return trajectory;
}

Trajectory sample_for_picture(const Solution& solution, bool logarithmic) {
  Trajectory trajectory = named_after(solution);
  const std::vector<double> times = picture_times(solution.times(), logarithmic);
  for (const double t : times) add(trajectory, solution.at(t));
  return trajectory;
}

Json describe(const Trajectory& trajectory) {
  std::vector<Json> columns;
  for (std::size_t j = 0; j < trajectory.names.size(); ++j) {
    Json column = Json::array();
    for (const Eigen::VectorXd& y : trajectory.y)
      column.push_back(number(y[static_cast<Eigen::Index>(j)]));
    columns.push_back(std::move(column));
  }
  return Json{{"t", numbers(trajectory.t)}, {"y", members(trajectory.names, std::move(columns))}};
}

}  // namespace daedalus::cli
