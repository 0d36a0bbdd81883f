// SPDX-License-Identifier: BSD-3-Clause
// daedalus sweep PROBLEM --set p=a:b:n ...: many runs at once, one thread each.
#include <chrono>
#include <memory>
#include <mutex>
#include <ostream>

#include <fmt/format.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <CLI/CLI.hpp>

#include <daedalus/recommend.hpp>
#include <daedalus/solve.hpp>

#include "io/trajectory_formats.hpp"
#include "tool/describe.hpp"
#include "tool/files.hpp"
#include "tool/json.hpp"
#include "tool/models.hpp"
#include "tool/numbers.hpp"
#include "tool/progress.hpp"
#include "tool/session.hpp"
#include "tool/settings.hpp"
#include "tool/sweep_journal.hpp"
#include "tool/sweep_plan.hpp"

namespace daedalus::cli {
namespace {

struct SweepSettings {
  RunSettings run;
  std::string threads = "auto", out, journal;
  bool json = false, quiet = false;
};

struct SweepRun {
  bool done = false, ok = false;
  std::string status, message;
  double t = 0.0, seconds = 0.0;
  std::vector<double> y;
};

int thread_count(const std::string& text) {
  if (text == "auto") return oneapi::tbb::info::default_concurrency();
  const double count = parse_number("--threads", text);
  if (!(count >= 1.0) || count != std::floor(count) || count > 4096.0)
    throw InvalidArgument(
        fmt::format("--threads has '{}'; allowed are auto and whole numbers from 1 to 4096", text));
  return static_cast<int>(count);
}

// A value that the problem does not allow is a failed run like others: the sweep goes on.
SweepRun run_point(const RunSettings& settings, std::vector<std::string> assignments) {
  SweepRun r;
  const auto begin = std::chrono::steady_clock::now();
  try {
    RunSettings here = settings;
    here.set = std::move(assignments);
    PreparedRun run = prepare(here);
    run.options.output = Output::end;
    run.options.cancel = InterruptGuard::requested;
    const Solution s = solve(run.problem, run.interval, run.options);
    const Eigen::VectorXd y = s.end().y();
    r.ok = s.ok();
    r.status = to_string(s.status());
    r.message = s.message();
    r.t = s.end_time();
    r.y.assign(y.data(), y.data() + y.size());
    r.done = s.status() != Status::cancelled;
  } catch (const InvalidArgument& error) {
    r.status = "invalid_argument";
    r.message = error.what();
    r.done = true;
  } catch (const std::exception& error) {
    r.status = to_string(Status::callback_failed);
    r.message = error.what();
    r.done = true;
  }
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return r;
}

Json parameters_of(const SweepPlan& plan, std::size_t run) {
  Json values = Json::object();
  const std::vector<double> point = plan.point(run);
  for (std::size_t k = 0; k < point.size(); ++k)
    values[plan.parameters()[k].name] = number(point[k]);
  return values;
}

Json describe_run(const SweepPlan& plan, const std::vector<std::string>& names,
                  std::size_t number_of_run, const SweepRun& r) {
  Json y = Json::object();
  for (std::size_t j = 0; j < std::min(names.size(), r.y.size()); ++j) y[names[j]] = number(r.y[j]);
  return Json{{"run", number_of_run},
              {"parameters", parameters_of(plan, number_of_run)},
              {"status", r.status},
              {"message", text_or_null(r.ok ? "" : r.message)},
              {"t", number(r.t)},
              {"y", std::move(y)},
              {"seconds", number(r.seconds)}};
}

SweepRun from_journal(const Json& json) {
  SweepRun r;
  r.done = true;
  r.status = json.value("status", "");
  r.ok = r.status == to_string(Status::success) || r.status == to_string(Status::stopped_by_event);
  if (json.contains("message") && json["message"].is_string())
    r.message = json["message"].get<std::string>();
  const auto value = [](const Json& x) {
    return x.is_number() ? x.get<double>() : std::numeric_limits<double>::quiet_NaN();
  };
  r.t = value(json.value("t", Json()));
  r.seconds = value(json.value("seconds", Json()));
  const Json y = json.value("y", Json::object());
  for (const auto& [name, x] : y.items()) r.y.push_back(value(x));
  return r;
}

// What decides about the numbers of every run; the number of threads does not.
Json identity_of(const RunSettings& s) {
  return Json{{"problem", s.problem},
              {"set", s.set},
              {"t_end", s.t_end},
              {"method", s.method},
              {"formulation", s.formulation},
              {"options", s.method_options},
              {"formulation_options", s.formulation_options},
              {"rtol", s.rtol},
              {"atol", s.atol},
              {"fixed_step", s.fixed_step},
              {"max_steps", s.max_steps}};
}

class Sweep {
 public:
  Sweep(const SweepSettings& settings, const SweepPlan& plan, const std::vector<std::string>& names,
        Session& io)
      : settings_(settings), plan_(plan), names_(names), io_(io), runs_(plan.size()) {
    if (settings.journal.empty()) return;
    journal_ = std::make_unique<SweepJournal>(settings.journal, identity_of(settings.run));
    for (const Json& json : journal_->finished()) {
      const auto k = json["run"].get<std::size_t>();
      if (k >= runs_.size() || json.value("parameters", Json()) != parameters_of(plan, k))
        throw FileError(
            fmt::format("'{}' has a run {} that this sweep does not have", settings.journal, k));
      try {
        runs_[k] = from_journal(json);
      } catch (const Json::exception&) {
        throw FileError(
            fmt::format("'{}' has a run {} that is none of a sweep", settings.journal, k));
      }
      count(runs_[k]);
    }
    resumed_ = finished_;
  }
  void run(int threads) {
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < runs_.size(); ++k)
      if (!runs_[k].done) open.push_back(k);
    const InterruptGuard guard;
    oneapi::tbb::task_arena arena(threads);
    arena.execute([&] {
      oneapi::tbb::parallel_for(
          oneapi::tbb::blocked_range<std::size_t>(0, open.size(), 1),
          [&](const oneapi::tbb::blocked_range<std::size_t>& some) {
            for (std::size_t k = some.begin(); k < some.end(); ++k) finish(open[k]);
          },
          oneapi::tbb::simple_partitioner());
    });
    if (io_.live && !settings_.quiet) io_.err << "\r\033[K" << std::flush;
  }
  const std::vector<SweepRun>& runs() const { return runs_; }
  std::size_t finished() const { return finished_; }
  std::size_t failed() const { return failed_; }
  std::size_t resumed() const { return resumed_; }

 private:
  void count(const SweepRun& r) {
    finished_ += r.done ? 1 : 0;
    failed_ += r.done && !r.ok ? 1 : 0;
  }
  void finish(std::size_t k) {
    if (InterruptGuard::requested()) return;
    SweepRun r = run_point(settings_.run, plan_.assignments(k));
    const std::lock_guard lock(mutex_);
    if (r.done && journal_) journal_->add(describe_run(plan_, names_, k, r));
    runs_[k] = std::move(r);
    count(runs_[k]);
    if (io_.live && !settings_.quiet)
      io_.err << fmt::format("\r\033[K{} of {} runs, {} failed", finished_, runs_.size(), failed_)
              << std::flush;
  }
  const SweepSettings& settings_;
  const SweepPlan& plan_;
  const std::vector<std::string>& names_;
  Session& io_;
  std::vector<SweepRun> runs_;
  std::unique_ptr<SweepJournal> journal_;
  std::mutex mutex_;
  std::size_t finished_ = 0, failed_ = 0, resumed_ = 0;
};

// Without times, so that the file does not depend on threads and machine.
void write_sweep_csv(std::ostream& out, const SweepPlan& plan,
                     const std::vector<std::string>& names, const std::vector<SweepRun>& runs) {
  for (const SweptParameter& p : plan.parameters()) out << files::csv_field(p.name) << ',';
  out << "status,t";
  for (const std::string& name : names) out << ',' << files::csv_field(name);
  out << '\n';
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (!runs[k].done) continue;
    for (const double value : plan.point(k)) out << fmt::format("{:.17g},", value);
    out << runs[k].status << fmt::format(",{:.17g}", runs[k].t);
    for (std::size_t j = 0; j < names.size(); ++j)
      out << (j < runs[k].y.size() ? fmt::format(",{:.17g}", runs[k].y[j]) : ",");
    out << '\n';
  }
}

void print_sweep(const Sweep& sweep, const SweepPlan& plan, int threads, double seconds,
                 Session& io) {
  io.out << fmt::format("{} of {} runs finished, {} failed, {} threads, {}\n", sweep.finished(),
                        plan.size(), sweep.failed(), threads, brief_time(seconds));
  if (sweep.resumed() > 0)
    io.out << fmt::format("{} of them were in the journal\n", sweep.resumed());
  std::size_t shown = 0;
  for (std::size_t k = 0; k < plan.size() && shown < 10; ++k) {
    const SweepRun& r = sweep.runs()[k];
    if (!r.done || r.ok) continue;
    ++shown;
    std::string at;
    for (const std::string& text : plan.assignments(k)) {
      const auto [name, value] = parse_assignment("--set", text);
      at += fmt::format("{}{} = {}", at.empty() ? "" : ", ", name, brief(value));
    }
    io.out << fmt::format("  {}: {}: {}\n", at, r.status, r.message);
  }
  if (shown < sweep.failed())
    io.out << fmt::format("  and {} more; --out and --json list all\n", sweep.failed() - shown);
}

int sweep_command(const SweepSettings& settings, Session& io) {
  const SweepPlan plan(settings.run.set);
  const int threads = thread_count(settings.threads);
  const std::string ending = std::filesystem::path(settings.out).extension().string();
  if (!settings.out.empty() && ending != ".csv" && ending != ".json")
    throw InvalidArgument("--out has '" + settings.out + "'; the name must end in .csv or .json");
  // Misspelled names and options end the sweep before the first run; values do not.
  RunSettings first = settings.run;
  first.set.clear();
  const PreparedRun standard = prepare(first);
  choose_parameters(standard.entry, plan.assignments(0));
  recommend(standard.problem, standard.options);
  std::vector<std::string> names;
  for (const VariableFacts& v : model_variables(standard.problem)) names.push_back(v.name);

  std::optional<AtomicFile> file;
  if (!settings.out.empty()) file.emplace(settings.out);
  Sweep sweep(settings, plan, names, io);
  const auto begin = std::chrono::steady_clock::now();
  sweep.run(threads);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  Json json = document();
  json["problem"] = standard.entry.name;
  add_origin(json, standard.entry);
  json["runs"] = Json::array();
  for (std::size_t k = 0; k < plan.size(); ++k)
    if (sweep.runs()[k].done) json["runs"].push_back(describe_run(plan, names, k, sweep.runs()[k]));
  json["failed"] = sweep.failed();
  json["seconds"] = number(seconds);
  json["threads"] = threads;
  if (settings.json)
    print(io.out, json);
  else if (!settings.quiet)
    print_sweep(sweep, plan, threads, seconds, io);
  if (file) {
    if (ending == ".csv")
      write_sweep_csv(file->stream(), plan, names, sweep.runs());
    else
      file->stream() << line(json) << '\n';
    file->commit();
  }
  if (sweep.finished() < plan.size()) {
    io.err << fmt::format("daedalus: interrupted after {} of {} runs{}\n", sweep.finished(),
                          plan.size(),
                          settings.journal.empty() ? "; with --journal FILE the next call goes on"
                                                   : "; the same command goes on");
    return exit_run_failed;
  }
  return exit_success;
}

}  // namespace

void add_sweep(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<SweepSettings>();
  CLI::App* command =
      app.add_subcommand("sweep", "Solve a problem for many values of its parameters, in parallel");
  command->footer(
      "--set takes name=value, name=a,b,c, name=FROM:TO:COUNT and name=FROM:TO:COUNT:log;\n"
      "with several, all combinations are run. Numbers do not depend on --threads. A run that\n"
      "fails is kept with its parameters and its message; the sweep goes on and ends with\n"
      "exit code 0.\n"
      "Examples:\n"
      "  daedalus sweep pendulum --set length=0.5:2:16 --t-end 5 --out sweep.csv\n"
      "  daedalus sweep van-der-pol --set eps=1e-6:1e-2:9:log --journal sweep.jsonl");
  add_problem_options(*command, settings->run);
  add_interval_options(*command, settings->run);
  add_method_options(*command, settings->run);
  add_tolerance_options(*command, settings->run);
  add_loop_options(*command, settings->run);
  command->add_option("--threads", settings->threads, "Runs at the same time; auto: one per core")
      ->capture_default_str();
  command->add_option("--out", settings->out, "Write the end values, sweep.csv or sweep.json");
  command->add_option("--journal", settings->journal,
                      "Keep finished runs in this file and go on where it ends");
  command->add_flag("--json", settings->json, "Print JSON");
  command->add_flag("--quiet", settings->quiet, "Print no report; files are written all the same");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return sweep_command(*settings, session); };
  });
}

}  // namespace daedalus::cli
