// SPDX-License-Identifier: BSD-3-Clause
// daedalus sweep PROBLEM --set p=a:b:n ...: many runs at once, one thread each.
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <daedalus/ensemble.hpp>
#include <daedalus/recommend.hpp>

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
#include "tool/sweep_table.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

struct SweepSettings {
  RunSettings run;
  std::string threads = "auto", out, journal;
  bool json = false, quiet = false;
};

// 0: one per core.
int thread_count(const std::string& text) {
  if (text == "auto") return 0;
  try {
    return static_cast<int>(parse_whole("--threads", text, 1, 4096));
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(std::string(error.what()) + ", and auto");
  }
}

EnsembleTask task_of(const RunSettings& settings, std::vector<std::string> assignments) {
  RunSettings here = settings;
  here.set = std::move(assignments);
  PreparedRun run = prepare(here);
  return {std::move(run.problem), run.interval, std::move(run.options)};
}

Json parameters_of(const SweepPlan& plan, std::size_t run) {
  Json values = Json::object();
  for (const Parameter& p : plan.parameters(run)) values[p.name] = number(p.value);
  return values;
}

Json describe_run(const SweepPlan& plan, const std::vector<std::string>& names,
                  std::size_t number_of_run, const EnsembleRun& r) {
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

EnsembleRun from_journal(const Json& json) {
  EnsembleRun r;
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

// The runs that a journal has, if there is one.
std::vector<EnsembleRun> known_runs(const SweepJournal* journal, const SweepPlan& plan,
                                    const std::string& name) {
  if (!journal) return {};
  std::vector<EnsembleRun> runs(plan.size());
  for (const Json& json : journal->finished()) {
    const auto k = json["run"].get<std::size_t>();
    if (k >= runs.size() || json.value("parameters", Json()) != parameters_of(plan, k))
      throw FileError(fmt::format("'{}' has a run {} that this sweep does not have", name, k));
    try {
      EnsembleRun run = from_journal(json);
      if (run.status != out_of_memory) runs[k] = std::move(run);  // those are made again
    } catch (const Json::exception&) {
      throw FileError(fmt::format("'{}' has a run {} that is none of a sweep", name, k));
    }
  }
  return runs;
}

struct Sweep {
  EnsembleResult result;
  std::size_t resumed = 0;
};

Sweep run_sweep(const SweepSettings& settings, const SweepPlan& plan,
                const std::vector<std::string>& names, Session& io) {
  const int threads = thread_count(settings.threads);
  std::unique_ptr<SweepJournal> journal;
  if (!settings.journal.empty())
    journal = std::make_unique<SweepJournal>(settings.journal, identity_of(settings.run));
  Sweep sweep;
  EnsembleSettings how{.threads = threads,
                       .cancel = InterruptGuard::requested,
                       .known = known_runs(journal.get(), plan, settings.journal)};
  std::size_t done = 0, failed = 0;
  for (const EnsembleRun& run : how.known) {
    done += run.done ? 1 : 0;
    failed += run.done && !run.ok ? 1 : 0;
  }
  sweep.resumed = done;
  const bool live = io.live && !settings.quiet;
  how.finished = [&](std::size_t k, const EnsembleRun& run) {
    if (journal) journal->add(describe_run(plan, names, k, run));
    ++done;
    failed += run.ok ? 0 : 1;
    if (live)
      io.err << fmt::format("\r\033[K{} of {} runs, {} failed", done, plan.size(), failed)
             << std::flush;
  };
  const InterruptGuard guard;
  sweep.result = solve_ensemble(
      plan.size(), [&](std::size_t k) { return task_of(settings.run, plan.assignments(k)); }, how);
  if (live) io.err << "\r\033[K" << std::flush;
  return sweep;
}

// Without times, so that the file does not depend on threads and machine.
void write_sweep_csv(std::ostream& out, const SweepPlan& plan,
                     const std::vector<std::string>& names, const std::vector<EnsembleRun>& runs) {
  for (const ParameterGrid::Axis& p : plan.axes()) out << files::csv_field(p.name) << ',';
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

void print_sweep(const Sweep& sweep, const SweepPlan& plan, const std::vector<std::string>& names,
                 Session& io) {
  const EnsembleResult& result = sweep.result;
  const std::string head =
      fmt::format("{} of {} runs finished, {} failed, {} threads, {}", result.done, plan.size(),
                  result.failed, result.threads, brief_time(result.seconds));
  for (const std::string& part : wrapped(head, text_width())) io.out << part << '\n';
  if (sweep.resumed > 0) io.out << fmt::format("{} of them were in the journal\n", sweep.resumed);
  print_sweep_table(plan, names, result.runs, io.out);
  std::size_t shown = 0;
  for (std::size_t k = 0; k < plan.size() && shown < 10; ++k) {
    const EnsembleRun& r = result.runs[k];
    if (!r.done || r.ok) continue;
    ++shown;
    std::string at;
    for (const Parameter& p : plan.parameters(k))
      at += fmt::format("{}{} = {}", at.empty() ? "" : ", ", p.name, brief(p.value));
    io.out << fmt::format("  {}: {}: {}\n", at, r.status, r.message);
  }
  if (shown < result.failed)
    io.out << fmt::format("  and {} more; --out and --json list all\n", result.failed - shown);
}

int sweep_command(const SweepSettings& settings, Session& io) {
  const SweepPlan plan(settings.run.set);
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
  const Sweep sweep = run_sweep(settings, plan, names, io);
  const EnsembleResult& result = sweep.result;

  Json json = document();
  json["problem"] = standard.entry.name;
  add_origin(json, standard.entry);
  json["runs"] = Json::array();
  for (std::size_t k = 0; k < plan.size(); ++k)
    if (result.runs[k].done) json["runs"].push_back(describe_run(plan, names, k, result.runs[k]));
  json["failed"] = result.failed;
  json["seconds"] = number(result.seconds);
  json["threads"] = result.threads;
  const bool whole = result.done == plan.size();
  if (!whole) mark_interrupted(json);
  if (settings.json)
    print(io.out, json);
  else if (!settings.quiet)
    print_sweep(sweep, plan, names, io);
  if (file) {
    if (ending == ".csv")
      write_sweep_csv(file->stream(), plan, names, result.runs);
    else
      file->stream() << line(json) << '\n';
    // A table that is not whole replaces none that may be.
    const std::filesystem::path name = file->commit(whole);
    if (name != settings.out)
      io.err << fmt::format("daedalus: '{}' stays as it was; the finished runs are in '{}'\n",
                            settings.out, name.string());
  }
  if (!whole) {
    io.err << fmt::format("daedalus: interrupted after {} of {} runs{}\n", result.done, plan.size(),
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
