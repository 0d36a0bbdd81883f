// SPDX-License-Identifier: BSD-3-Clause
#include "tool/sweep_run.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <ostream>
#include <thread>

#include <fmt/format.h>

#include <daedalus/distributed.hpp>
#include <daedalus/ensemble_study.hpp>

#include "tool/progress.hpp"
#include "tool/sweep_engine.hpp"
#include "tool/sweep_journal.hpp"

namespace daedalus::cli {
namespace {

// 0: one per core.
int thread_count(const std::string& text) {
  if (text == "auto") return 0;
  try {
    return static_cast<int>(parse_whole("--threads", text, 1, 4096));
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(std::string(error.what()) + ", and auto");
  }
}

EnsembleTask task_of(const SweepSettings& settings, std::vector<std::string> assignments) {
  RunSettings here = settings.run;
  here.set = std::move(assignments);
  PreparedRun run = prepare(here);
  EnsembleTask task{std::move(run.problem), run.interval, std::move(run.options)};
  task.times = band_times(settings, task.interval);
  return task;
}

// Rank 0 has the results that say where to refine; the others learn the new points from it.
void share_points(ParameterPlan& plan, std::size_t before, Ranks* ranks) {
  if (!ranks) return;
  std::string bytes;
  for (std::size_t k = before; k < plan.size(); ++k)
    bytes.append(reinterpret_cast<const char*>(plan.point(k).data()), plan.point(k).size_bytes());
  ranks->broadcast(bytes);
  if (ranks->rank() == 0) return;
  std::vector<double> point(plan.names().size());
  for (std::size_t at = 0; at < bytes.size(); at += point.size() * sizeof(double)) {
    std::memcpy(point.data(), bytes.data() + at, point.size() * sizeof(double));
    plan.add(point);
  }
}

class SweepRunner {
 public:
  SweepRunner(const SweepSettings& settings, SweepPlan& plan, const Entry& entry,
              const std::vector<std::string>& names, Session& io)
      : settings_(settings), plan_(plan), entry_(entry), names_(names), io_(io) {
    const Engine engine = parse_engine(settings.engine);
    if (io.ranks && (engine == Engine::lanes || engine == Engine::gpu))
      throw InvalidArgument("--engine " + settings.engine +
                            " works in one process and in shards, not on ranks");
    threads_ = thread_count(settings.threads);
    // One thread per rank: launchers start as many ranks as there are cores.
    if (io.ranks && threads_ == 0) threads_ = 1;
    sweep.shard = parse_shard(settings.shard, [](const char* name) { return std::getenv(name); });
  }

  // Rank 0 alone reads and writes files, and may fail alone: the others must not wait for it.
  // Returns false where there is nothing more to do on this rank.
  bool begin(const std::function<void()>& open_files) {
    try {
      if (first()) open_files();
      if (first() && !settings_.journal.empty()) open_journal();
    } catch (...) {
      if (io_.ranks) io_.ranks->first_to_differ("rank 0 failed");
      throw;
    }
    if (!io_.ranks) return true;
    const int other = io_.ranks->first_to_differ(line(identity_of(settings_)));
    if (other >= 0 && first())
      throw InvalidArgument(
          fmt::format("rank {} has another sweep than rank 0: start all with one command", other));
    return other < 0;
  }

  void run() {
    const std::unique_ptr<GridRefinement> refinement = make_refinement();
    for (;;) {
      round();
      const std::size_t before = plan_.size();
      if (!refinement) break;
      count_runs(sweep, plan_);
      if (first() && sweep.whole()) refinement->refine(plan_.points, sweep.runs);
      share_points(plan_.points, before, io_.ranks);
      if (plan_.size() == before) break;
    }
    if (first() && !kept_.empty() && sweep.done == plan_.size())
      throw FileError(fmt::format("'{}' has a run {} that this sweep does not have",
                                  settings_.journal, kept_.begin()->first));
    if (refinement && first() && refinement->exhausted())
      io_.err
          << "daedalus: results still change quickly in places; --refine-runs allows more runs\n";
    count_runs(sweep, plan_);
  }

  Sweep sweep;

 private:
  bool first() const { return !io_.ranks || io_.ranks->rank() == 0; }

  std::unique_ptr<GridRefinement> make_refinement() const {
    if (settings_.refine.empty()) return nullptr;
    return std::make_unique<GridRefinement>(
        plan_.grid(), RefinementSettings{.change = parse_number("--refine", settings_.refine),
                                         .max_runs = settings_.refine_runs});
  }

  void open_journal() {
    const bool shared = !sweep.shard.whole() || !settings_.shard.empty();
    std::filesystem::path path = settings_.journal;
    if (shared) {
      path = shard_file(settings_.journal, sweep.shard);
      std::filesystem::create_directories(path.parent_path());
    }
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const auto warn = [this](const std::string& text) {
      io_.err << "daedalus: warning: " << text << '\n';
    };
    journal_ = std::make_unique<Journal>(
        path, identity_of(settings_), sweep_journal,
        JournalSettings{written_by(threads_ == 0 ? cores : threads_, sweep.shard.text()), shared,
                        warn});
    for (const Json& json : journal_->finished()) {
      const auto k = json["run"].get<std::size_t>();
      // Runs that found no memory are made again.
      if (json.value("status", Json()) != out_of_memory) kept_.insert_or_assign(k, json);
    }
  }

  // Those of the journal that the plan has by now.
  void take_known() {
    sweep.runs.resize(plan_.size());
    while (!kept_.empty() && kept_.begin()->first < plan_.size()) {
      auto [k, run] = read_run(kept_.begin()->second, plan_, names_, settings_.journal);
      if (!sweep.shard.has(k))
        throw FileError(fmt::format("'{}' has a run {} of another shard than {}", settings_.journal,
                                    k, sweep.shard.text()));
      sweep.runs[k] = std::move(run);
      kept_.erase(kept_.begin());
      ++sweep.resumed;
    }
    if (!kept_.empty() && settings_.refine.empty())
      throw FileError(fmt::format("'{}' has a run {} that this sweep does not have",
                                  settings_.journal, kept_.begin()->first));
  }

  // What is open of the plan as it is.
  void round() {
    take_known();
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < plan_.size(); ++k)
      if (!sweep.runs[k].done && sweep.shard.has(k)) open.push_back(k);
    share_open(open);
    count_runs(sweep, plan_);
    std::size_t done = sweep.done, failed = sweep.failed;
    const bool live = io_.live && !settings_.quiet && first();
    EnsembleSettings how{.threads = threads_, .cancel = InterruptGuard::requested};
    how.whole = plan_.size();
    how.engine = parse_engine(settings_.engine);
    how.probes = [this] { return probes(); };
    how.finished = [&](std::size_t i, const EnsembleRun& run) {
      if (journal_) journal_->add(describe_run(plan_, names_, open[i], run));
      ++done;
      failed += run.ok ? 0 : 1;
      if (live)
        io_.err << fmt::format("\r\033[K{} of {} runs, {} failed", done, sweep.wanted, failed)
                << std::flush;
    };
    EnsembleResult result = run_points(settings_, plan_, open, how, io_.ranks);
    if (live) io_.err << "\r\033[K" << std::flush;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (result.runs[i].done) sweep.runs[open[i]] = std::move(result.runs[i]);
    sweep.threads = result.threads;
    sweep.engine = result.engine;
    sweep.engine_reason = io_.ranks ? "runs on ranks are the library's loop" : result.reason;
    sweep.handed_over += result.handed_over;
    sweep.seconds += result.seconds;
  }

  std::vector<EnsembleTask> probes() const {
    std::vector<EnsembleTask> tasks;
    for (const std::vector<std::string>& assignments : sweep_probes(plan_, entry_)) try {
        tasks.push_back(task_of(settings_, assignments));
      } catch (const InvalidArgument&) {  // a value that only the sweep's own ranges avoid
      }
    if (tasks.empty()) tasks.push_back(task_of(settings_, plan_.assignments(0)));
    return tasks;
  }

  // The journal is rank 0's: what is open in it is open for all.
  void share_open(std::vector<std::size_t>& open) {
    if (!io_.ranks) return;
    std::string bytes(reinterpret_cast<const char*>(open.data()), open.size() * sizeof(open[0]));
    io_.ranks->broadcast(bytes);
    open.resize(bytes.size() / sizeof(open[0]));
    if (!open.empty()) std::memcpy(open.data(), bytes.data(), bytes.size());
  }

  const SweepSettings& settings_;
  SweepPlan& plan_;
  const Entry& entry_;
  const std::vector<std::string>& names_;
  Session& io_;
  int threads_ = 0;
  std::unique_ptr<Journal> journal_;
  std::map<std::size_t, Json> kept_;  // of the journal, not taken yet
};

}  // namespace

EnsembleResult run_points(const SweepSettings& settings, const SweepPlan& plan,
                          std::span<const std::size_t> runs, const EnsembleSettings& how,
                          Ranks* ranks) {
  const auto task = [&](std::size_t i) { return task_of(settings, plan.assignments(runs[i])); };
  return ranks ? ranks->solve_ensemble(runs.size(), task, how)
               : solve_ensemble(runs.size(), task, how);
}

std::vector<double> band_times(const SweepSettings& settings, Interval interval) {
  return settings.bands < 2 ? std::vector<double>()
                            : equidistant(interval.from, interval.to, settings.bands);
}

Sweep run_sweep(const SweepSettings& settings, SweepPlan& plan, const Entry& entry,
                const std::vector<std::string>& names, Session& io,
                const std::function<void()>& open_files) {
  const InterruptGuard guard;
  SweepRunner runner(settings, plan, entry, names, io);
  if (runner.begin(open_files)) runner.run();
  return std::move(runner.sweep);
}

}  // namespace daedalus::cli
