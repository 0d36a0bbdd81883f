// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/starts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "ensemble/workers.hpp"

namespace daedalus::estimation {

void need_bounds(const FitTask& task) {
  for (const Quantity& q : task.free)
    if (!q.bounded())
      throw InvalidArgument(
          fmt::format("starts is {}, and '{}' has no bounds to take them from; write {}=FROM..TO",
                      task.fit.starts, q.name, q.name));
}

std::vector<Eigen::VectorXd> latin_hypercube(const FitTask& task, std::size_t count,
                                             unsigned seed) {
  std::mt19937_64 random(seed);
  // The distributions of the standard library differ between its implementations.
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<Eigen::VectorXd> points(count, task.start());
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < task.free.size(); ++i) {
    const Quantity& q = task.free[i];
    const double low = q.to_u(q.lower), high = q.to_u(q.upper);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t k = count; k > 1; --k)
      std::swap(order[k - 1], order[static_cast<std::size_t>(uniform() * static_cast<double>(k))]);
    for (std::size_t k = 0; k < count; ++k)
      points[k][static_cast<Eigen::Index>(i)] =
          low +
          (high - low) * (static_cast<double>(order[k]) + uniform()) / static_cast<double>(count);
  }
  return points;
}

std::vector<Candidate> screen(const FitTask& task, Evaluator& evaluator, std::size_t count,
                              std::size_t threads) {
  std::vector<Eigen::VectorXd> points = latin_hypercube(task, count, task.fit.seed);
  points.insert(points.begin(), task.start());
  std::vector<Candidate> candidates(points.size());
  parallel_for(points.size(), threads, [&](std::size_t k) {
    Candidate& c = candidates[k];
    c.u = points[k];
    c.cost = std::numeric_limits<double>::infinity();
    if (task.cancelled()) return;
    const Evaluation e = evaluator.evaluate(c.u, false, Accuracy::screening, 1);
    c.message = e.message;
    if (e.ok) c.cost = task.cost(e.residuals);
  });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  return candidates;
}

}  // namespace daedalus::estimation
