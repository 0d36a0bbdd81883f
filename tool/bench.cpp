// SPDX-License-Identifier: BSD-3-Clause
// daedalus bench PROBLEM...
#include "tool/bench.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tool/files.hpp"
#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/peers.hpp"
#include "tool/plot.hpp"
#include "tool/progress.hpp"
#include "tool/regret.hpp"
#include "tool/session.hpp"
#include "tool/settings.hpp"

namespace daedalus::cli {

std::vector<double> bench_tolerances(const std::string& text) {
  const std::vector<std::string> ends = split(text, ':');
  if (ends.size() > 2)
    throw InvalidArgument(fmt::format("--rtol has '{}'; a range is FROM:TO", text));
  std::vector<double> list;
  if (ends.size() == 1) {
    list = parse_list("--rtol", text);
  } else {
    const double a = parse_number("--rtol", ends[0]), b = parse_number("--rtol", ends[1]);
    const double loosest = std::max(a, b), tightest = std::min(a, b);
    if (!(tightest > 0.0))
      throw InvalidArgument(fmt::format("--rtol has '{}'; both ends must be positive", text));
    const int decades = static_cast<int>(std::floor(std::log10(loosest / tightest) + 1e-9));
    for (int k = 0; k <= decades; ++k) list.push_back(loosest * std::pow(10.0, -k));
  }
  for (const double tol : list)
    if (!(tol > 0.0))
      throw InvalidArgument(fmt::format("--rtol has '{}'; tolerances are positive", text));
  std::sort(list.begin(), list.end(), std::greater<>());
  return list;
}

std::vector<BenchLine> bench_lines(const BenchSettings& s, RunsLine& progress) {
  require_formulation(s.formulation);
  const bench::Line shape{bench_tolerances(s.rtol), parse_number("--longest", s.longest),
                          s.repetitions};
  std::vector<std::string> methods = method_names();
  const bool named = !s.methods.empty();
  if (named) methods = split(s.methods, ',');
  for (const std::string& method : methods) require_method(method);
  std::vector<BenchLine> lines;
  for (const std::string& name : s.problems) {
    const problems::Entry& entry = require_problem(name);
    const Problem problem = entry.problem();
    for (const std::string& method : methods) {
      if (InterruptGuard::requested()) return lines;
      if (!named && !bench::fits(problem, method, s.formulation)) continue;
      progress.begin(name + ", " + method);
      Options o;
      o.method = method;
      o.formulation = s.formulation;
      o.max_steps = s.max_steps;
      o.cancel = InterruptGuard::requested;
      BenchLine line{&entry, method, bench::line(shape, [&](double tol) {
                       return bench::run_ours(entry, problem, o, tol);
                     })};
      // The last run did not end by itself.
      if (InterruptGuard::requested() && !line.runs.empty()) line.runs.pop_back();
      if (!line.runs.empty() || !InterruptGuard::requested()) lines.push_back(std::move(line));
    }
  }
  return lines;
}

namespace {

int bench_regret(const BenchSettings& settings, const CLI::App& command, Session& io) {
  RegretCommand regret;
  if (command.count("--rtol") > 0) regret.tolerances = bench_tolerances(settings.rtol);
  if (command.count("--repetitions") > 0) regret.repetitions = settings.repetitions;
  if (command.count("--max-steps") > 0) regret.max_steps = settings.max_steps;
  if (!settings.methods.empty()) regret.methods = split(settings.methods, ',');
  for (const std::string& method : regret.methods) require_method(method);
  return regret_command(settings.problems, regret, settings.json, io);
}

int bench_peers(BenchSettings settings, const CLI::App& command, Session& io) {
  if (command.count("--rtol") == 0) settings.rtol = "1e-3:1e-12";
  if (command.count("--repetitions") == 0) settings.repetitions = 5;
  if (command.count("--longest") == 0) settings.longest = "2";
  if (settings.formulation != "auto")
    throw InvalidArgument("--formulation: with --peers every solver is given its best one");
  return peers_command(settings, settings.peers_program, io);
}

int bench_command(const BenchSettings& settings, Session& io) {
  if (settings.problems.empty())
    throw InvalidArgument(
        "bench: give at least one problem (or --regret or --peers, for the suite core)");
  std::unique_ptr<AtomicFile> picture;
  if (!settings.plot.empty()) picture = picture_file(settings.plot);
  std::optional<AtomicFile> csv;
  if (!settings.csv.empty()) csv.emplace(settings.csv);
  RunsLine progress(io.err, io.live);
  const std::vector<BenchLine> lines = bench_lines(settings, progress);
  progress.done();
  if (settings.json) {
    Json json = document();
    json["runs"] = Json::array();
    for (const BenchLine& l : lines)
      for (const bench::Run& r : l.runs) json["runs"].push_back(describe(l, r));
    if (settings.summary) json["summary"] = describe_summary(lines);
    mark_interrupted(json);
    print(io.out, json);
  } else {
    print_lines(lines, io.out);
    if (settings.summary) print_summary(lines, io.out);
  }
  if (csv) {
    write_csv(lines, csv->stream());
    csv->commit();
  }
  if (picture) {
    const std::vector<Figure> figures = work_precision_figures(lines);
    if (figures.empty())
      throw InvalidArgument("--plot: there is nothing to draw, no method fits the problems");
    draw(figures, *picture);
  }
  return InterruptGuard::requested() ? say_interrupted(io) : exit_success;
}

}  // namespace

void add_bench(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<BenchSettings>();
  CLI::App* command =
      app.add_subcommand("bench", "Error against cost of methods over a range of tolerances");
  command->add_option("problems", settings->problems,
                      "Problems of the catalogue; with --regret or --peers none means the suite\n"
                      "core");
  command->add_option("--methods", settings->methods,
                      "Only these, a,b,...; 'auto' is the one that solve would choose. If not\n"
                      "given, every method that fits and estimates its error");
  command->add_option("--formulation", settings->formulation, "Formulation of the equations")
      ->capture_default_str();
  command
      ->add_option("--rtol", settings->rtol,
                   "Tolerances: FROM:TO, a factor 10 apart, or a list; --atol is the same times\n"
                   "the catalogue's factor per variable")
      ->capture_default_str();
  add_whole(*command, "--repetitions", settings->repetitions,
            "Runs per point; the least CPU time counts", 1, 1'000'000);
  command
      ->add_option("--longest", settings->longest,
                   "A method is not taken to tighter tolerances after a run of so many seconds")
      ->capture_default_str();
  add_whole(*command, "--max-steps", settings->max_steps, "Largest number of steps per run", 1,
            max_steps_limit);
  command->add_flag("--summary", settings->summary,
                    "Time over the least one at mescd 4, 6, 8, 10, interpolated");
  command->add_flag("--regret", settings->regret,
                    "CPU time of the automatic choice over that of the cheapest method in any\n"
                    "formulation that reaches mescd >= -log10(rtol) - 1; by default at 1e-4, 1e-7\n"
                    "and 1e-10 with 7 interleaved repetitions");
  command->add_flag("--peers", settings->peers,
                    "Other libraries as well (SUNDIALS, PETSc, SciPy, those that are installed),\n"
                    "each in every formulation it takes, in turns with ours; by default at\n"
                    "1e-3:1e-12 with 5 repetitions and at most 2 seconds per run. With --summary:\n"
                    "our automatic choice and our fastest method over the fastest peer");
  command->add_option("--peers-program", settings->peers_program,
                      "The program that --peers calls, if not daedalus_peers beside this tool");
  command->add_option(
      "--peer", settings->classical,
      "NAME=PATH: with --peers also a classical code from a shared object of yours\n"
      "(radau5, radau, rodas, seulex, dop853, daskr, bimd, gamd, mebdfi, hem5,\n"
      "phem56); may be given again");
  command->add_option("--csv", settings->csv, "Write the runs, one per line");
  command->add_option("--plot", settings->plot,
                      "Draw work-precision diagrams, .svg or .pdf (needs gnuplot)");
  command->add_flag("--json", settings->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  daedalus bench pendulum --methods rodas4,bdf --rtol 1e-3:1e-6\n"
      "  daedalus bench robertson --summary --plot work-precision.pdf\n"
      "  daedalus bench --regret --json\n"
      "  daedalus bench --peers --summary --csv peers.csv\n"
      "mescd is the number of correct digits at the end time (see daedalus solve --help). --peers\n"
      "needs the program daedalus_peers, which 'make bench' builds.");
  command->callback([settings, command, &session] {
    session.action = [settings, command, &session] {
      if (settings->peers) return bench_peers(*settings, *command, session);
      return settings->regret ? bench_regret(*settings, *command, session)
                              : bench_command(*settings, session);
    };
  });
}

}  // namespace daedalus::cli
