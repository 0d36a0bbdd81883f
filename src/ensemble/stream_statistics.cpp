// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <daedalus/ensemble_stream.hpp>

#include "kernel/at.hpp"

namespace daedalus {
namespace {

// Numbers of a level before every other one of them moves up.
constexpr std::size_t level_size = 4096;

}  // namespace

void QuantileSketch::add(double x) {
  if (std::isnan(x)) return;
  least_ = count_ == 0 ? x : std::min(least_, x);
  most_ = count_ == 0 ? x : std::max(most_, x);
  ++count_;
  levels_[0].push_back(x);
  for (std::size_t level = 0; level < levels_.size() && levels_[level].size() >= level_size;
       ++level)
    shrink(level);
}

// The first of a pair and the second in turns: what this moves one way it moves back next time.
void QuantileSketch::shrink(std::size_t level) {
  if (level + 1 == levels_.size()) {
    levels_.emplace_back();
    odd_.push_back(0);
  }
  std::vector<double>& full = levels_[level];
  std::sort(full.begin(), full.end());
  for (std::size_t k = odd_[level] ? 1 : 0; k < full.size(); k += 2)
    levels_[level + 1].push_back(full[k]);
  odd_[level] = !odd_[level];
  full.clear();
}

double QuantileSketch::quantile(double probability) const {
  if (!(probability >= 0.0 && probability <= 1.0))
    throw InvalidArgument(fmt::format("a probability is between 0 and 1, not {}", probability));
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  if (probability == 0.0) return least_;
  if (probability == 1.0) return most_;
  std::vector<std::pair<double, double>> weighted;
  double weight = 1.0, all = 0.0;
  for (const std::vector<double>& level : levels_) {
    for (const double x : level) weighted.emplace_back(x, weight);
    all += weight * static_cast<double>(level.size());
    weight *= 2.0;
  }
  std::sort(weighted.begin(), weighted.end());
  // Linear between the middles of the parts that numbers stand for, as between order statistics.
  const double place = probability * (all - 1.0) + 0.5;
  double below = 0.0, last = 0.5, from = least_;
  for (const auto& [x, w] : weighted) {
    const double middle = below + 0.5 * w;
    if (middle >= place)
      return middle > last ? from + (x - from) * std::max(0.0, (place - last) / (middle - last))
                           : x;
    last = middle;
    from = x;
    below += w;
  }
  return most_;
}

// Welford's recurrence.
void StreamStatistics::add(const BatchOutput& batch) {
  std::vector<char> bad(batch.count, 0);
  for (const LibraryRun& left : batch.by_library) {
    if (left.result.ok) continue;
    bad[left.run - batch.first] = 1;
    ++failed_;
    ++failures_[left.result.status];
  }
  for (std::size_t j = 0; j < variables_.size(); ++j) {
    Variable& v = variables_[j];
    const double* values = batch.value(j);
    std::size_t n =
        runs_ - (failed_ - static_cast<std::size_t>(std::count(bad.begin(), bad.end(), 1)));
    for (std::size_t i = 0; i < batch.count; ++i) {
      if (bad[i]) continue;
      const double distance = values[i] - v.mean;
      v.mean += distance / static_cast<double>(++n);
      v.squares += distance * (values[i] - v.mean);
      v.sketch.add(values[i]);
    }
  }
  runs_ += batch.count;
}

double StreamStatistics::deviation(std::size_t variable) const {
  const std::size_t n = runs_ - failed_;
  return n < 2 ? 0.0 : std::sqrt(variables_[variable].squares / static_cast<double>(n - 1));
}

}  // namespace daedalus
