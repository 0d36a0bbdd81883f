// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/ensemble.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "ensemble/run_task.hpp"

#include "ensemble/workers.hpp"

#include "ensemble/gpu/engine.hpp"
#include "ensemble/lanes/worker.hpp"

namespace daedalus {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
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
    threads_ = std::min(threads, open_.size());
    on_threads(threads_, [this] { work(); });
    if (error_) std::rethrow_exception(error_);
  }

  std::size_t open() const { return open_.size(); }
  const std::vector<std::size_t>& open_runs() const { return open_; }
  // From now on tasks are run in lanes, or on GPUs.
  void use(std::shared_ptr<const lanes::Plan> plan) { plan_ = std::move(plan); }
  void use(std::shared_ptr<const gpu::Engine> engine) { gpu_ = std::move(engine); }

  EnsembleResult result;

 private:
  bool stopped() const { return stop_ || (settings_.cancel && settings_.cancel()); }

  std::optional<std::size_t> next() {
    const std::size_t next = next_++;
    if (next >= open_.size() || stopped()) return {};
    return open_[next];
  }
  void work() {
    const auto in_library = [this](std::size_t k) {
      finish(k, run_task(make_, k, [this] { return stopped(); }));
    };
    if (plan_ || gpu_) {
      const lanes::Desk desk{
          [this] { return next(); }, make_,
          [this](std::size_t k, EnsembleRun&& run) { finish(k, std::move(run)); },
          [&](std::size_t k) {
            ++handed_over_;
            in_library(k);
          },
          [this] { return stopped(); }};
      try {
        if (gpu_)
          gpu::work(*gpu_, worker_++, batch_size(), desk);
        else
          lanes::work(*plan_, desk);
      } catch (...) {  // no memory for the lanes of this thread
        note_error();
      }
      return;
    }
    while (const std::optional<std::size_t> k = next()) in_library(*k);
  }
  // Several batches for every thread, so that all end at about the same time.
  std::size_t batch_size() const {
    // At least some runs for each multiprocessor, at most what a device holds at once; and a bound
    // for the page-locked memory of all threads together.
    constexpr std::size_t per_thread = 4, least = 256, most = 32768, bytes = 256'000'000;
    const std::size_t fits = bytes / (threads_ * gpu::bytes_per_run(*gpu_->plan));
    return std::clamp(open_.size() / (per_thread * threads_), least, std::clamp(fits, least, most));
  }
  void note_error() {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    stop_ = true;
  }
  void finish(std::size_t k, EnsembleRun run) {
    const std::lock_guard lock(mutex_);
    result.runs[k] = std::move(run);
    result.handed_over = handed_over_;
    count(result.runs[k]);
    try {
      if (result.runs[k].done && settings_.finished && !stop_)
        settings_.finished(k, result.runs[k]);
    } catch (...) {
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
  }
  void count(const EnsembleRun& run) {
    result.done += run.done ? 1 : 0;
    result.failed += run.done && !run.ok ? 1 : 0;
  }

  const std::function<EnsembleTask(std::size_t)>& make_;
  const EnsembleSettings& settings_;
  std::vector<std::size_t> open_;
  std::shared_ptr<const lanes::Plan> plan_;
  std::shared_ptr<const gpu::Engine> gpu_;
  std::size_t threads_ = 1;
  std::atomic<std::size_t> next_ = 0, handed_over_ = 0, worker_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
};

// Making lanes takes as long as some dozen runs, and fewer than this are done soon; their numbers
// then are those of the library's loop.
constexpr std::size_t min_runs_for_lanes = 1000;
// A kernel takes a second to be made, and a GPU wants ten thousand runs at once.
constexpr std::size_t min_runs_for_gpu = 20000;
// Machine code for lanes takes some dozen milliseconds more; the numbers are the same without it.
constexpr std::size_t min_runs_for_code = 256;
// Of the tasks that lanes are made from, where the caller gives none.
constexpr std::size_t probe_count = 4;

std::vector<EnsembleTask> probes_of(const std::vector<std::size_t>& runs,
                                    const std::function<EnsembleTask(std::size_t)>& make) {
  std::vector<EnsembleTask> probes;
  for (std::size_t k = 0; k < probe_count; ++k)
    probes.push_back(make(runs[k * (runs.size() - 1) / (probe_count - 1)]));
  return probes;
}

// By the number of all runs, not of those that are open: a part, or a sweep that goes on, must
// choose as the whole does.
class Choice {
 public:
  Choice(Ensemble& ensemble, const std::function<EnsembleTask(std::size_t)>& make,
         const EnsembleSettings& settings, std::size_t count)
      : ensemble_(ensemble),
        make_(make),
        settings_(settings),
        whole_(settings.whole > 0 ? settings.whole : count) {}

  void make() {
    EnsembleResult& result = ensemble_.result;
    const bool lanes = settings_.engine == Engine::lanes, gpu = settings_.engine == Engine::gpu;
    if (settings_.engine == Engine::threads) {
      result.reason = "asked for";
      return;
    }
    if (!lanes && !gpu && whole_ < min_runs_for_lanes) {
      result.reason = fmt::format("fewer than {} runs are not worth lanes", min_runs_for_lanes);
      return;
    }
    if (gpu) require_gpu();
    if (ensemble_.open() == 0) return;
    const bool wanted = gpu || (!lanes && whole_ >= min_runs_for_gpu);
    std::string no_gpu = wanted ? gpu::missing(gpu) : "";
    if (wanted && no_gpu.empty() && take_gpu(gpu, no_gpu)) return;
    if (gpu) throw InvalidArgument("engine gpu: " + no_gpu);
    take_lanes(lanes);
    if (wanted) result.reason += "; no GPU: " + no_gpu;
  }

 private:
  static void require_gpu() {
    const std::string why = gpu::missing(true);
    if (!why.empty())
      throw InvalidArgument("engine gpu: " + why +
                            "; the engines auto, lanes and threads need none");
  }
  // Tasks that engines are made from; none, with a reason, where none can be.
  std::vector<EnsembleTask> probes(std::string& why) const {
    try {
      return settings_.probes ? settings_.probes() : probes_of(ensemble_.open_runs(), make_);
    } catch (const std::exception& error) {  // a task that cannot be made, like others
      why = error.what();
    }
    return {};
  }
  bool take_gpu(bool forced, std::string& why) {
    const std::vector<EnsembleTask> tasks = probes(why);
    std::shared_ptr<const gpu::Engine> engine;
    if (!tasks.empty()) engine = gpu::make_engine(tasks, forced, why);
    if (!engine) return false;
    ensemble_.result.engine = Engine::gpu;
    ensemble_.result.reason = engine->processor.description;
    ensemble_.use(std::move(engine));
    return true;
  }
  void take_lanes(bool forced) {
    std::string why;
    const std::vector<EnsembleTask> tasks = probes(why);
    std::shared_ptr<const lanes::Plan> plan;
    if (!tasks.empty())
      plan = lanes::make_plan(tasks, forced, why, {.code = ensemble_.open() >= min_runs_for_code});
    if (!plan && forced) throw InvalidArgument("engine lanes: " + why);
    ensemble_.result.engine = plan ? Engine::lanes : Engine::threads;
    ensemble_.result.reason = plan ? plan->description : "no lanes: " + why;
    ensemble_.use(std::move(plan));
  }

  Ensemble& ensemble_;
  const std::function<EnsembleTask(std::size_t)>& make_;
  const EnsembleSettings& settings_;
  std::size_t whole_;
};

}  // namespace

std::string_view to_string(Engine engine) {
  constexpr std::string_view names[] = {"auto", "threads", "lanes", "gpu"};
  return names[static_cast<std::size_t>(engine)];
}

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
  Choice(ensemble, task, settings, count).make();
  const std::size_t threads = thread_count(settings.threads);
  ensemble.solve(threads);
  ensemble.result.threads = static_cast<int>(threads);
  ensemble.result.seconds = seconds_since(begin);
  return std::move(ensemble.result);
}

}  // namespace daedalus
