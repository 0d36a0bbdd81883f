// SPDX-License-Identifier: BSD-3-Clause
#include "fastest.hpp"

#include <algorithm>
#include <ctime>
#include <limits>

namespace daedalus::bench {
namespace {

constexpr double shortest_batch = 2e-4;  // seconds
constexpr int repetitions = 40;
constexpr int max_batch = 1'000'000;

double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double batch(const std::function<bool()>& call, int count) {
  const double begin = now();
  for (int i = 0; i < count; ++i)
    if (!call()) return std::numeric_limits<double>::quiet_NaN();
  return (now() - begin) / count;
}

}  // namespace

std::vector<double> fastest(const std::vector<std::function<bool()>>& calls) {
  std::vector<int> count;
  for (const auto& call : calls) {
    int n = 1;
    while (n < max_batch && batch(call, n) * n < shortest_batch) n *= 2;
    count.push_back(n);
  }
  std::vector<double> least(calls.size(), std::numeric_limits<double>::infinity());
  for (int r = 0; r < repetitions; ++r)
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const double seconds = batch(calls[k], count[k]);
      least[k] = seconds != seconds ? seconds : std::min(least[k], seconds);
    }
  return least;
}

}  // namespace daedalus::bench
