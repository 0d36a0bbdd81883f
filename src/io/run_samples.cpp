// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/run_file.hpp>

#include <algorithm>

#include "integrate/solution_data.hpp"

namespace daedalus {
namespace {

void add_state(Samples& samples, const ModelState& state) {
  samples.t.push_back(state.t());
  samples.y.emplace_back(state.y());
}

bool is_dense(const Solution& solution) { return !solution.data().interpolants.empty(); }

}  // namespace

void StepTable::add(const StepRecord& r) {
  t.push_back(r.t);
  h.push_back(r.h);
  order.push_back(r.order);
  error.push_back(r.error);
  newton_iterations.push_back(r.newton_iterations);
  outcome.emplace_back(r.outcome);
  if (!r.worst_name.empty()) ++worst[std::string(r.worst_name)];
}

Samples sample_steps(const Solution& solution, std::size_t smooth) {
  Samples samples;
  const std::vector<double>& steps = solution.times();
  const bool dense = is_dense(solution) && !steps.empty();
  const std::size_t intervals = steps.size() > 1 ? steps.size() - 1 : 1;
  const std::size_t pieces = dense ? (smooth + intervals - 1) / intervals : 1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    add_state(samples, solution.state(i));
    // Both sides of a jump are reported, at the same time.
    if (i + 1 == steps.size() || steps[i + 1] == steps[i]) continue;
    for (std::size_t k = 1; k < pieces; ++k)
      add_state(samples, solution.at(steps[i] + (steps[i + 1] - steps[i]) * static_cast<double>(k) /
                                                    static_cast<double>(pieces)));
  }
  return samples;
}

Samples sample_frames(const Solution& solution, std::size_t frames) {
  Samples samples;
  const std::vector<double>& steps = solution.times();
  if (is_dense(solution) && steps.size() > 1) {
    const double from = steps.front(), to = solution.end_time();
    for (std::size_t k = 0; k < frames; ++k)
      add_state(samples, k + 1 == frames ? solution.end()
                                         : solution.at(from + (to - from) * static_cast<double>(k) /
                                                                  static_cast<double>(frames - 1)));
    return samples;
  }
  const std::size_t stride = std::max<std::size_t>(1, (steps.size() + frames - 1) / frames);
  for (std::size_t i = 0; i < steps.size(); i += stride) add_state(samples, solution.state(i));
  return samples;
}

}  // namespace daedalus
