// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/ensemble_study.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace daedalus {

std::vector<double> quantiles(std::vector<double> values, std::span<const double> probabilities) {
  std::erase_if(values, [](double x) { return std::isnan(x); });
  std::sort(values.begin(), values.end());
  std::vector<double> found;
  for (const double p : probabilities) {
    if (!(p >= 0.0 && p <= 1.0))
      throw InvalidArgument(fmt::format("a probability is between 0 and 1, not {}", p));
    if (values.empty()) {
      found.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const double place = p * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    const double part = place - static_cast<double>(low);
    // Without a detour over a difference that may overflow, or spoil equal values.
    found.push_back(part == 0.0 ? values[low] : (1.0 - part) * values[low] + part * values[high]);
  }
  return found;
}

EnsembleBands quantile_bands(const std::vector<EnsembleRun>& runs, std::vector<double> times,
                             std::size_t variables, std::vector<double> probabilities) {
  EnsembleBands bands{
      .times = std::move(times), .probabilities = std::move(probabilities), .variables = variables};
  std::vector<double> values;
  for (std::size_t i = 0; i < bands.times.size(); ++i) {
    std::size_t count = 0;
    for (std::size_t j = 0; j < variables; ++j) {
      values.clear();
      for (const EnsembleRun& run : runs)
        if (run.series.size() >= (i + 1) * variables)
          values.push_back(run.series[i * variables + j]);
      count = values.size();
      const std::vector<double> q = quantiles(values, bands.probabilities);
      bands.values.insert(bands.values.end(), q.begin(), q.end());
    }
    bands.counts.push_back(count);
  }
  return bands;
}

std::map<std::string, std::size_t> status_counts(const std::vector<EnsembleRun>& runs) {
  std::map<std::string, std::size_t> counts;
  for (const EnsembleRun& run : runs)
    if (run.done) ++counts[run.status];
  return counts;
}

std::vector<EnsembleRun> padded(std::vector<EnsembleRun> runs, const ParameterPlan& plan) {
  runs.resize(std::max(runs.size(), plan.size()));
  return runs;
}

}  // namespace daedalus
