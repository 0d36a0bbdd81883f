// SPDX-License-Identifier: BSD-3-Clause
// daedalus sweep PROBLEM --set p=a:b:n ...: many runs at once, on threads, ranks or in shards.
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <daedalus/distributed.hpp>
#include <daedalus/ensemble_study.hpp>
#include <daedalus/recommend.hpp>

#include "tool/describe.hpp"
#include "tool/files.hpp"
#include "tool/models.hpp"
#include "tool/session.hpp"
#include "tool/sweep_engine.hpp"
#include "tool/sweep_merge.hpp"
#include "tool/sweep_report.hpp"
#include "tool/sweep_run.hpp"
#include "tool/sweep_table.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

void print_failures(const Sweep& sweep, const SweepPlan& plan, std::ostream& out) {
  std::size_t shown = 0;
  for (std::size_t k = 0; k < plan.size() && shown < 10; ++k) {
    const EnsembleRun& r = sweep.runs[k];
    if (!r.done || r.ok) continue;
    ++shown;
    std::string at;
    for (const Parameter& p : plan.parameters(k))
      at += fmt::format("{}{} = {}", at.empty() ? "" : ", ", p.name, brief(p.value));
    out << fmt::format("  {}: {}: {}\n", at, r.status, r.message);
  }
  if (shown < sweep.failed)
    out << fmt::format("  and {} more; --out and --json list all\n", sweep.failed - shown);
}

void print_sweep(const Sweep& sweep, const SweepPlan& plan, const std::vector<std::string>& names,
                 Session& io) {
  const std::string head =
      fmt::format("{} of {} runs finished, {} failed, {} threads, {}{}", sweep.done, sweep.wanted,
                  sweep.failed, sweep.threads, brief_time(sweep.seconds),
                  sweep.shard.whole() ? "" : fmt::format(", shard {}", sweep.shard.text()));
  for (const std::string& part : wrapped(head, text_width())) io.out << part << '\n';
  if (!sweep.engine_reason.empty())
    for (const std::string& part : wrapped(engine_line(sweep), text_width()))
      io.out << part << '\n';
  if (sweep.resumed > 0) io.out << fmt::format("{} of them were in the journal\n", sweep.resumed);
  if (sweep.shard.whole()) print_sweep_table(plan, names, sweep.runs, io.out);
  if (plan.sampled()) print_quantiles(sweep, names, io.out);
  print_failures(sweep, plan, io.out);
}

// The files that were asked for. Those that cannot be written end the sweep before its first run.
struct SweepFiles {
  std::optional<AtomicFile> table, page;

  void open(const SweepSettings& settings) {
    if (!settings.out.empty()) table.emplace(settings.out);
    if (!settings.report.empty()) page.emplace(settings.report);
  }
};

void write_table(const SweepSettings& settings, const SweepPlan& plan,
                 const std::vector<std::string>& names, const Sweep& sweep, const Json& json,
                 AtomicFile& file, Session& io) {
  if (settings.out.ends_with(".csv"))
    write_sweep_csv(file.stream(), plan, names, sweep);
  else
    file.stream() << line(json) << '\n';
  // A table that is not whole replaces none that may be.
  const std::filesystem::path name = file.commit(sweep.whole() || settings.partial);
  if (name != settings.out)
    io.err << fmt::format("daedalus: '{}' stays as it was; the finished runs are in '{}'\n",
                          settings.out, name.string());
}

// What is printed and written, for a sweep that was made and for one that was put together.
void finish(const SweepSettings& settings, const PreparedRun& standard, const SweepPlan& plan,
            const std::vector<std::string>& names, const Sweep& sweep, SweepFiles& files,
            Session& io) {
  Json json;
  const bool as_json = files.table && !settings.out.ends_with(".csv");
  if (settings.json || as_json) {
    json = sweep_document(standard, settings, plan, names, sweep);
    if (!sweep.whole()) mark_interrupted(json);
  }
  if (settings.json)
    print(io.out, json);
  else if (!settings.quiet)
    print_sweep(sweep, plan, names, io);
  if (files.table) write_table(settings, plan, names, sweep, json, *files.table, io);
  if (files.page) write_sweep_report(settings, standard, plan, names, sweep, *files.page, io);
}

PreparedRun standard_run(const SweepSettings& settings) {
  RunSettings first = settings.run;
  first.set.clear();
  return prepare(first);
}

std::vector<std::string> variable_names(const PreparedRun& run) {
  std::vector<std::string> names;
  for (const VariableFacts& v : model_variables(run.problem)) names.push_back(v.name);
  return names;
}

int merge_command(SweepSettings settings, Session& io) {
  if (are_tables(settings)) return merge_tables(settings, io);
  need_sweep_report(settings);
  const std::vector<MergedPart> parts = read_parts(settings);
  if (settings.run.problem.empty())
    take_identity(settings, parts.front().identity, parts.front().file);
  require_same_sweep(parts, settings, io.err);
  SweepPlan plan(settings.run.set, settings.sample);
  const PreparedRun standard = standard_run(settings);
  const std::vector<std::string> names = variable_names(standard);
  const Sweep sweep = merge(parts, plan, names, settings);
  const std::string missing = missing_runs(sweep, parts);
  if (!missing.empty() && !settings.partial) {
    io.err << "daedalus: " << missing << "; --partial writes what there is\n";
    return exit_run_failed;
  }
  if (!missing.empty()) io.err << "daedalus: warning: " << missing << '\n';
  SweepFiles files;
  files.open(settings);
  finish(settings, standard, plan, names, sweep, files, io);
  return exit_success;
}

// Options that exclude each other, before anything is read or run.
void check_settings(const SweepSettings& settings, const SweepPlan& plan, Session& io) {
  const std::string ending = std::filesystem::path(settings.out).extension().string();
  if (!settings.out.empty() && ending != ".csv" && ending != ".json")
    throw InvalidArgument("--out has '" + settings.out + "'; the name must end in .csv or .json");
  refuse_one_file_for_two(
      {{"--journal", settings.journal}, {"--out", settings.out}, {"--report", settings.report}});
  if (!settings.shard.empty() && io.ranks && io.ranks->size() > 1)
    throw InvalidArgument("choose one: --shard or mpirun");
  if (!settings.shard.empty() && !settings.refine.empty())
    throw InvalidArgument(
        "--refine needs the results of all runs: use threads or mpirun with it, not --shard");
  if (settings.sampled && !plan.sampled())
    throw InvalidArgument(
        "--samples, --sampling and --seed are for laws, such as --set k=lognormal(1,0.1)");
  if (!settings.refine.empty() && plan.sampled())
    throw InvalidArgument("--refine refines grids; a sample has none");
}

int sweep_command(const SweepSettings& given, Session& io) {
  SweepSettings settings = given;
  settings.sample.sampling = sampling_from(settings.sampling);
  if (settings.merge) return merge_command(settings, io);
  if (settings.run.problem.empty())
    throw InvalidArgument("'problem' is missing; 'daedalus sweep --help' shows the usage");
  if (settings.partial) throw InvalidArgument("--partial is for --merge");
  SweepPlan plan(settings.run.set, settings.sample);
  check_settings(settings, plan, io);
  need_sweep_report(settings);
  if (!settings.report.empty() && settings.bands == 0 && plan.sampled())
    settings.bands = standard_band_times;
  // Misspelled names and options end the sweep before the first run; values do not.
  const PreparedRun standard = standard_run(settings);
  choose_parameters(standard.entry, plan.assignments(0));
  recommend(standard.problem, standard.options);
  const std::vector<std::string> names = variable_names(standard);

  SweepFiles files;
  const Sweep sweep =
      run_sweep(settings, plan, standard.entry, names, io, [&] { files.open(settings); });
  if (io.ranks && io.ranks->rank() > 0) return exit_success;
  finish(settings, standard, plan, names, sweep, files, io);
  if (sweep.whole()) return exit_success;
  io.err << fmt::format("daedalus: interrupted after {} of {} runs{}\n", sweep.done, sweep.wanted,
                        settings.journal.empty() ? "; with --journal FILE the next call goes on"
                                                 : "; the same command goes on");
  return exit_run_failed;
}

void add_sample_options(CLI::App& command, SweepSettings& settings) {
  add_whole(command, "--samples", settings.sample.samples,
            "Samples of the parameters that --set gives a law", 1,
            static_cast<long>(ParameterGrid::max_runs))
      ->each([&settings](const std::string&) { settings.sampled = true; });
  command
      .add_option("--sampling", settings.sampling,
                  "Kind of samples: latin-hypercube (lhs), sobol, random")
      ->capture_default_str()
      ->each([&settings](const std::string&) { settings.sampled = true; });
  add_whole(command, "--seed", settings.sample.seed, "Other samples of the same kind", 0,
            max_steps_limit)
      ->each([&settings](const std::string&) { settings.sampled = true; });
  add_whole(command, "--bands", settings.bands,
            "Keep states at N times: quantile bands over time in the report", 2, 100'000);
  command.add_option("--refine", settings.refine,
                     "Halve distances of the grid while results change by more than this part of "
                     "their range (0.1)");
  add_whole(command, "--refine-runs", settings.refine_runs, "Most runs that --refine adds", 1,
            static_cast<long>(ParameterGrid::max_runs));
}

void add_part_options(CLI::App& command, SweepSettings& settings) {
  command.add_option("--shard", settings.shard,
                     "Do part I of N, I/N; auto: as the batch system says (job arrays)");
  command
      .add_option_function<std::vector<std::string>>(
          "--merge",
          [&settings](const std::vector<std::string>& files) {
            settings.parts = files;
            std::erase(settings.parts, "");  // of an option without values
          },
          "Put the journals, .json or .csv files of shards together; without files those of "
          "--journal")
      ->expected(0, -1)
      ->type_name("FILE...")
      ->trigger_on_parse(false);
  command.add_flag("--partial", settings.partial, "With --merge: write what there is");
}

}  // namespace

void add_sweep(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<SweepSettings>();
  CLI::App* command =
      app.add_subcommand("sweep", "Solve a problem for many values of its parameters, in parallel");
  command->footer(
      "--set takes name=value, name=a,b,c, name=FROM:TO:COUNT and name=FROM:TO:COUNT:log;\n"
      "with several, all combinations are run. A law, name=lognormal(1,0.1), normal, uniform,\n"
      "loguniform, triangular, exponential or weibull, is sampled --samples times. Numbers do\n"
      "not depend on --threads, ranks or shards. A run that fails is kept with its parameters\n"
      "and its message; the sweep goes on and ends with exit code 0. From 1000 runs on, small\n"
      "models that are formulas run side by side in the lanes of vector instructions\n"
      "(--engine threads: never; runs under mpirun are never); the report says which and why.\n"
      "Examples:\n"
      "  daedalus sweep pendulum --set length=0.5:2:16 --t-end 5 --out sweep.csv\n"
      "  daedalus sweep van-der-pol --set eps=1e-6:1e-2:9:log --journal sweep.jsonl\n"
      "  daedalus sweep pendulum --set 'length=normal(1,0.05)' --samples 200 --report page.html\n"
      "  mpirun -n 64 daedalus sweep andrews --set m1=0.01:0.1:4096 --journal sweep.jsonl\n"
      "  daedalus sweep andrews --set m1=0.01:0.1:4096 --shard 3/16 --journal sweep.jsonl\n"
      "  daedalus sweep andrews --set m1=0.01:0.1:4096 --merge --journal sweep.jsonl --out s.csv");
  add_problem_options(*command, settings->run);
  command->get_option("problem")->required(false);  // --merge knows it
  add_interval_options(*command, settings->run);
  add_method_options(*command, settings->run);
  add_tolerance_options(*command, settings->run);
  add_loop_options(*command, settings->run);
  add_sample_options(*command, *settings);
  add_part_options(*command, *settings);
  command
      ->add_option("--threads", settings->threads,
                   "Runs at the same time; auto: one per core, under mpirun one per rank")
      ->capture_default_str();
  command
      ->add_option("--engine", settings->engine,
                   "auto, threads (the library's loop), lanes (vector instructions), gpu")
      ->capture_default_str();
  command->add_option("--out", settings->out, "Write the end values, sweep.csv or sweep.json");
  command->add_option("--journal", settings->journal,
                      "Keep finished runs in this file and go on where it ends");
  command->add_option("--report", settings->report,
                      "Write a page with quantiles, bands and failures, page.html");
  command->add_flag("--json", settings->json, "Print JSON");
  command->add_flag("--quiet", settings->quiet, "Print no report; files are written all the same");
  command->callback([settings, command, &session] {
    settings->merge = command->get_option("--merge")->count() > 0;
    session.action = [settings, &session] { return sweep_command(*settings, session); };
  });
}

}  // namespace daedalus::cli
