// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/parameter_plan.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace daedalus {

ParameterPlan::ParameterPlan(std::vector<std::string> names) : names_(std::move(names)), size_(0) {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (std::find(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(i), names_[i]) !=
        names_.begin() + static_cast<std::ptrdiff_t>(i))
      throw InvalidArgument(fmt::format("parameter '{}' is given twice", names_[i]));
}

ParameterPlan::ParameterPlan(const ParameterGrid& grid) : size_(0) {
  for (const ParameterGrid::Axis& axis : grid.axes()) names_.push_back(axis.name);
  values_.reserve(grid.size() * names_.size());
  for (std::size_t run = 0; run < grid.size(); ++run) add(grid.point(run));
}

void ParameterPlan::add(std::span<const double> point) {
  if (point.size() != names_.size())
    throw InvalidArgument(fmt::format("a point has {} values, and the plan has {} parameters",
                                      point.size(), names_.size()));
  for (std::size_t i = 0; i < point.size(); ++i)
    if (!std::isfinite(point[i]))
      throw InvalidArgument(fmt::format("parameter '{}' is {} in a point", names_[i], point[i]));
  if (size_ >= ParameterGrid::max_runs)
    throw InvalidArgument(fmt::format("a plan has at most {} runs", ParameterGrid::max_runs));
  values_.insert(values_.end(), point.begin(), point.end());
  ++size_;
}

std::span<const double> ParameterPlan::point(std::size_t run) const {
  return std::span(values_).subspan(run * names_.size(), names_.size());
}

std::vector<Parameter> ParameterPlan::parameters(std::size_t run) const {
  std::vector<Parameter> named;
  const std::span<const double> values = point(run);
  for (std::size_t k = 0; k < values.size(); ++k) named.push_back({names_[k], values[k]});
  return named;
}

ParameterPlan combinations(const ParameterPlan& slow, const ParameterPlan& fast) {
  if (fast.size() > 0 && slow.size() > ParameterGrid::max_runs / fast.size())
    throw InvalidArgument(fmt::format("{} and {} points make more than {} runs", slow.size(),
                                      fast.size(), ParameterGrid::max_runs));
  std::vector<std::string> names = slow.names();
  names.insert(names.end(), fast.names().begin(), fast.names().end());
  ParameterPlan all(std::move(names));
  std::vector<double> point;
  for (std::size_t i = 0; i < slow.size(); ++i)
    for (std::size_t j = 0; j < fast.size(); ++j) {
      point.assign(slow.point(i).begin(), slow.point(i).end());
      point.insert(point.end(), fast.point(j).begin(), fast.point(j).end());
      all.add(point);
    }
  return all;
}

EnsembleResult solve_ensemble(const Problem& problem, Interval interval, const Options& options,
                              const ParameterPlan& plan, const EnsembleSettings& settings) {
  const auto parameters_of = [](auto& p) -> auto& { return p.parameters; };
  // Where each value goes, once for all runs.
  const std::vector<Parameter>& has = std::visit(parameters_of, problem);
  std::vector<std::size_t> places;
  for (const std::string& name : plan.names()) {
    const auto found =
        std::find_if(has.begin(), has.end(), [&](const Parameter& p) { return p.name == name; });
    if (found == has.end())
      throw InvalidArgument(
          fmt::format("problem '{}' has no parameter '{}'", name_of(problem), name));
    places.push_back(static_cast<std::size_t>(found - has.begin()));
  }
  const auto task = [&](std::size_t run) {
    EnsembleTask made{problem, interval, options};
    std::vector<Parameter>& parameters = std::visit(parameters_of, made.problem);
    const std::span<const double> values = plan.point(run);
    for (std::size_t k = 0; k < places.size(); ++k) parameters[places[k]].value = values[k];
    return made;
  };
  return solve_ensemble(plan.size(), task, settings);
}

// The same with a grid: its points are a plan.
EnsembleResult solve_ensemble(const Problem& problem, Interval interval, const Options& options,
                              const ParameterGrid& grid, const EnsembleSettings& settings) {
  return solve_ensemble(problem, interval, options, ParameterPlan(grid), settings);
}

}  // namespace daedalus
