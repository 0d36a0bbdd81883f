// SPDX-License-Identifier: BSD-3-Clause
// What many runs say together: quantiles, bands over time, kinds of failures, and where a grid is
// too coarse.
//
//   ParameterPlan plan(grid);
//   EnsembleResult result = solve_ensemble(problem, interval, options, plan);
//   GridRefinement refinement(grid, {.change = 0.05, .max_runs = 500});
//   while (refinement.refine(plan, result.runs) > 0) {
//     const EnsembleSettings settings{.known = padded(result.runs, plan)};
//     result = solve_ensemble(problem, interval, options, plan, settings);
//   }
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <daedalus/parameter_plan.hpp>

namespace daedalus {

// Linear between order statistics (Hyndman and Fan 1996, type 7); NaN where there are no values.
std::vector<double> quantiles(std::vector<double> values, std::span<const double> probabilities);

// Quantiles of every variable at every time, over the runs that reached it.
struct EnsembleBands {
  std::vector<double> times{}, probabilities{};
  std::size_t variables = 0;
  std::vector<std::size_t> counts{};  // runs at each time
  std::vector<double> values{};       // by time, variable, probability
  double value(std::size_t time, std::size_t variable, std::size_t probability) const {
    return values[(time * variables + variable) * probabilities.size() + probability];
  }
};
// Of EnsembleRun::series at `times`, those of the tasks; failed runs count as far as they came.
EnsembleBands quantile_bands(const std::vector<EnsembleRun>& runs, std::vector<double> times,
                             std::size_t variables, std::vector<double> probabilities);

// How many of the runs that are done ended with each status.
std::map<std::string, std::size_t> status_counts(const std::vector<EnsembleRun>& runs);

// The runs of a smaller plan as EnsembleSettings::known of this one.
std::vector<EnsembleRun> padded(std::vector<EnsembleRun> runs, const ParameterPlan& plan);

struct RefinementSettings {
  // Between neighbours, as part of the range that a variable has over all runs; a run that failed
  // beside one that did not is a change of 1.
  double change = 0.1;
  std::size_t max_runs = 1000;  // that are added in all
  int levels = 6;               // how often a distance of the grid may be halved
};

// Halves distances between neighbours on the lines of a grid while results change quickly there.
// The new points depend on the results alone, not on the order in which runs ended.
class GridRefinement {
 public:
  // Throws InvalidArgument for settings that make no sense, and for a grid without two values of
  // anything.
  GridRefinement(const ParameterGrid& grid, const RefinementSettings& settings);
  // Adds points to the plan, which began as that of the grid; returns how many. `runs` are those of
  // the plan as it is, all done.
  std::size_t refine(ParameterPlan& plan, const std::vector<EnsembleRun>& runs);
  bool exhausted() const { return exhausted_; }  // max_runs or levels kept it from going on

 private:
  struct Edge {
    std::size_t from, to, axis;
    int level;
  };
  std::vector<Edge> edges_;
  std::vector<bool> logarithmic_;
  RefinementSettings settings_;
  std::size_t added_ = 0;
  bool exhausted_ = false;
};

}  // namespace daedalus
