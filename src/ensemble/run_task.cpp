// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/run_task.hpp"

#include <chrono>
#include <exception>
#include <new>

#include <daedalus/solve.hpp>

#include "ensemble/quantity.hpp"

namespace daedalus {

void lacks_no_memory(const Solution& solution) {
  if (!solution.exception()) return;
  try {
    std::rethrow_exception(solution.exception());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {  // its status and its message say it
  }
}

EnsembleRun run_task(const std::function<EnsembleTask(std::size_t)>& make, std::size_t k,
                     const std::function<bool()>& cancel) {
  EnsembleRun run;
  const auto begin = std::chrono::steady_clock::now();
  try {
    EnsembleTask task = make(k);
    task.options.output = task.times.empty() ? Output::end : Output::times;
    if (!task.times.empty()) task.options.output_times = task.times;
    add_stops(task, task.options.events);
    task.options.cancel = [&cancel, own = std::move(task.options.cancel)] {
      return cancel() || (own && own());
    };
    const Solution solution = solve(task.problem, task.interval, task.options);
    lacks_no_memory(solution);
    const Eigen::VectorXd y = solution.end().y();
    run.ok = solution.ok();
    run.status = to_string(solution.status());
    run.message = solution.message();
    run.t = solution.end_time();
    run.y.assign(y.data(), y.data() + y.size());
    if (!task.times.empty())
      for (std::size_t i = 0; i < solution.times().size(); ++i) {
        const Eigen::VectorXd at = solution.state(i).y();
        run.series.insert(run.series.end(), at.data(), at.data() + at.size());
      }
    if (run.ok) run.functional = functional_of(task, run.t, run.y.data());
    run.done = solution.status() != Status::cancelled;
  } catch (const InvalidArgument& error) {
    run.status = "invalid_argument";
    run.message = error.what();
    run.done = true;
  } catch (const std::bad_alloc&) {
    run.status = out_of_memory;
    run.message = "there was not enough memory for this run";
    run.done = true;
  } catch (const std::exception& error) {
    run.status = to_string(Status::callback_failed);
    run.message = error.what();
    run.done = true;
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return run;
}

}  // namespace daedalus
