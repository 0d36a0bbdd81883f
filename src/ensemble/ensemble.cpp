// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/ensemble.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include <daedalus/solve.hpp>

namespace daedalus {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// In a callable the lack of memory is a failed run; here it has one name, wherever it was.
void lacks_no_memory(const Solution& solution) {
  if (!solution.exception()) return;
  try {
    std::rethrow_exception(solution.exception());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {  // its status and its message say it
  }
}

// A value that a problem does not allow is a failed run like others.
EnsembleRun run_task(const std::function<EnsembleTask(std::size_t)>& make, std::size_t k,
                     const std::function<bool()>& cancel) {
  EnsembleRun run;
  const Clock::time_point begin = Clock::now();
  try {
    EnsembleTask task = make(k);
    task.options.output = Output::end;
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
  run.seconds = seconds_since(begin);
  return run;
}

// The threads take the next open run each until there is none.
class Ensemble {
 public:
  Ensemble(const std::function<EnsembleTask(std::size_t)>& make, const EnsembleSettings& settings,
           std::vector<EnsembleRun> runs)
      : make_(make), settings_(settings) {
    result.runs = std::move(runs);
    for (std::size_t k = 0; k < result.runs.size(); ++k) {
      count(result.runs[k]);
      if (!result.runs[k].done) open_.push_back(k);
    }
  }

  void solve(std::size_t threads) {
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < std::min(threads, open_.size()); ++i)
      others.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : others) thread.join();
    if (error_) std::rethrow_exception(error_);
  }

  EnsembleResult result;

 private:
  bool stopped() const { return stop_ || (settings_.cancel && settings_.cancel()); }

  void work() {
    for (std::size_t next = next_++; next < open_.size() && !stopped(); next = next_++) {
      const std::size_t k = open_[next];
      EnsembleRun run = run_task(make_, k, [this] { return stopped(); });
      const std::lock_guard lock(mutex_);
      result.runs[k] = std::move(run);
      count(result.runs[k]);
      try {
        if (result.runs[k].done && settings_.finished && !stop_)
          settings_.finished(k, result.runs[k]);
      } catch (...) {
        if (!error_) error_ = std::current_exception();
        stop_ = true;
      }
    }
  }
  void count(const EnsembleRun& run) {
    result.done += run.done ? 1 : 0;
    result.failed += run.done && !run.ok ? 1 : 0;
  }

  const std::function<EnsembleTask(std::size_t)>& make_;
  const EnsembleSettings& settings_;
  std::vector<std::size_t> open_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

EnsembleResult solve_ensemble(std::size_t count,
                              const std::function<EnsembleTask(std::size_t)>& task,
                              const EnsembleSettings& settings) {
  if (settings.threads < 0)
    throw InvalidArgument(fmt::format("threads is {}; 0 means one per core", settings.threads));
  if (!settings.known.empty() && settings.known.size() != count)
    throw InvalidArgument(
        fmt::format("{} known runs are given for an ensemble of {}", settings.known.size(), count));
  const Clock::time_point begin = Clock::now();
  std::vector<EnsembleRun> runs = settings.known;
  runs.resize(count);
  Ensemble ensemble(task, settings, std::move(runs));
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const int threads = settings.threads > 0 ? settings.threads : static_cast<int>(cores);
  ensemble.solve(static_cast<std::size_t>(threads));
  ensemble.result.threads = threads;
  ensemble.result.seconds = seconds_since(begin);
  return std::move(ensemble.result);
}

EnsembleResult solve_ensemble(const Problem& problem, Interval interval, const Options& options,
                              const ParameterGrid& grid, const EnsembleSettings& settings) {
  const auto parameters_of = [](auto& p) -> auto& { return p.parameters; };
  for (const ParameterGrid::Axis& axis : grid.axes()) {
    const std::vector<Parameter>& has = std::visit(parameters_of, problem);
    if (std::none_of(has.begin(), has.end(),
                     [&](const Parameter& p) { return p.name == axis.name; }))
      throw InvalidArgument(
          fmt::format("problem '{}' has no parameter '{}'", name_of(problem), axis.name));
  }
  const auto task = [&](std::size_t run) {
    EnsembleTask made{problem, interval, options};
    std::vector<Parameter>& parameters = std::visit(parameters_of, made.problem);
    for (const Parameter& given : grid.parameters(run))
      for (Parameter& p : parameters)
        if (p.name == given.name) p.value = given.value;
    return made;
  };
  return solve_ensemble(grid.size(), task, settings);
}

}  // namespace daedalus
