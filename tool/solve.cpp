// SPDX-License-Identifier: BSD-3-Clause
// daedalus solve PROBLEM
#include <algorithm>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <daedalus/solve.hpp>

#include "tool/ascii_plot.hpp"
#include "tool/circuits.hpp"
#include "tool/files.hpp"
#include "tool/json.hpp"
#include "tool/mechanisms.hpp"
#include "tool/numbers.hpp"
#include "tool/plot.hpp"
#include "tool/progress.hpp"
#include "tool/session.hpp"
#include "tool/settings.hpp"
#include "tool/solve_distributed.hpp"
#include "tool/solve_output.hpp"
#include "tool/solve_report.hpp"
#include "tool/table.hpp"
#include "tool/trajectory.hpp"

namespace daedalus::cli {
namespace {

struct SolveSettings {
  RunSettings run;
  OutputSettings output;
  RankSettings ranks;
  std::string plot, invariants, at, analysis;
  bool json = false, quiet = false, watch_drift = false, ascii = false;
  // Values between the steps are asked for.
  bool dense() const { return !plot.empty() || !at.empty() || ascii; }
};

std::string subtitle(const PreparedRun& run, const Solution& solution) {
  const MethodChoice& choice = solution.choice();
  std::string text = choice.method;
  if (!choice.formulation.empty()) text += ", " + choice.formulation;
  if (run.options.fixed_step > 0.0)
    text += ", h = " + brief(run.options.fixed_step);
  else
    text += ", rtol = " + brief(run.options.rtol);
  if (!solution.ok())
    text += fmt::format(", {} at t = {}", to_string(solution.status()), brief(solution.end_time()));
  return text;
}

Picture picture_of(const PreparedRun& run, const Solution& solution) {
  const bool logarithmic = logarithmic_time(solution.times());
  Picture picture{
      run.entry.title, subtitle(run, solution), sample_for_picture(solution, logarithmic), {},
      logarithmic,     solution.drift()};
  picture.panels = arrange(solution.variables(), picture.trajectory);
  std::size_t shown = 0;
  for (const Panel& panel : picture.panels) shown += panel.variables.size();
  if (shown < picture.trajectory.names.size())
    picture.subtitle +=
        fmt::format(", the {} largest of {} variables", shown, picture.trajectory.names.size());
  return picture;
}

void draw_run(const PreparedRun& run, const Solution& solution, AtomicFile& file, Session& io) {
  const std::string path = file.target().string();
  if (solution.times().size() < 2) {
    io.err << "daedalus: '" << path << "' was not drawn: the run took no step\n";
    return;
  }
  const auto written = draw(picture_of(run, solution), file, solution.ok());
  if (written != path)
    io.err << "daedalus: the run failed, so '" << path << "' was left as it is; the picture is '"
           << written.string() << "'\n";
}

Solution compute(PreparedRun& run, const SolveSettings& settings, RunOutput& output, Session& io) {
  ProgressBar bar(io.err, io.live && !settings.quiet, run.interval.from);
  const InterruptGuard guard;
  Options& o = run.options;
  const bool measures = run.circuit && run.circuit->measures();
  output.attach(run, settings.dense() || measures);
  o.watch_drift = settings.watch_drift || o.watch_drift;
  if (!settings.invariants.empty()) o.project_invariants = split(settings.invariants, ',');
  o.cancel = InterruptGuard::requested;
  o.progress = [&bar](const Progress& progress) { bar.update(progress); };
  Solution solution = solve(run.problem, run.interval, o, output.long_run());
  // A file that cannot be written is no trouble of the model.
  if (solution.status() == Status::callback_failed && solution.exception()) try {
      std::rethrow_exception(solution.exception());
    } catch (const FileError&) {
      throw;
    } catch (...) {
    }
  return solution;
}

std::vector<double> asked_times(const std::string& text, const Interval& interval) {
  if (text.empty()) return {};
  std::vector<double> times = parse_list("--at", text);
  const auto [low, high] = std::minmax(interval.from, interval.to);
  // An end that is written otherwise (3/10 for 0.1 + 0.2) is the end.
  const double round_off = 1e-12 * (high - low);
  for (double& t : times)
    if (t >= low - round_off && t <= high + round_off)
      t = std::clamp(t, low, high);
    else
      throw InvalidArgument(fmt::format("--at has {}; the run goes from {} to {}", brief(t),
                                        brief(interval.from), brief(interval.to)));
  return times;
}

// What was asked for and has no meaning here is said, not passed over.
void say_what_is_ignored(const SolveSettings& settings, const Solution& solution, Session& io) {
  if (settings.watch_drift && solution.drift().empty() && solution.statistics().accepted > 0)
    io.err << "warning: --watch-drift has nothing to watch: the problem has no constraints that "
              "can drift (they are those of multibody problems)\n";
}

int solve_command(const SolveSettings& settings, Session& io) {
  if (settings.ranks.distributed) {
    if (settings.dense() || settings.watch_drift || !settings.invariants.empty())
      throw InvalidArgument(
          "--plot, --ascii, --at, --watch-drift and --project-invariants are not supported with "
          "--distributed; --out, --points, --json and --quiet are");
    return solve_over_ranks(settings.run, settings.output, settings.ranks, settings.json,
                            settings.quiet, io);
  }
  std::unique_ptr<AtomicFile> picture;
  if (!settings.plot.empty()) picture = picture_file(settings.plot);
  if (const auto analyses = static_analyses(settings.run.problem, settings.analysis);
      !analyses.empty())
    return solve_circuit(settings.run, analyses, settings.json, settings.output.out, io);
  PreparedRun run = prepare(settings.run);
  if (settings.ascii && settings.json)
    throw InvalidArgument("--ascii draws for people; leave out --json");
  const bool measures = run.circuit && run.circuit->measures();
  RunOutput output(settings.output, settings.dense() || measures);
  const std::vector<double> samples = asked_times(settings.at, run.interval);

  // Other analyses of a netlist follow the run.
  const InterruptGuard guard;
  const Solution solution = compute(run, settings, output, io);
  RunReport report = make_report(run, solution);
  report.samples = samples;
  if (settings.json)
    print(io.out, solve_document(report));
  else if (!settings.quiet)
    print_text(report, io);
  if (settings.ascii && solution.times().size() > 1)
    io.out << ascii_plot(picture_of(run, solution), text_width());
  for (const std::string& warning : solution.warnings()) io.err << "warning: " << warning << '\n';
  if (run.circuit)
    for (const SourceDiagnostic& w : run.circuit->warnings()) io.err << text(w) << '\n';
  if (const auto m = mechanism_of(run))
    for (const std::string& warning : mechanism_warnings(run, *m))  // those of the file say it
      io.err << (warning.find(": warning: ") == std::string::npos ? "warning: " : "") << warning
             << '\n';
  say_what_is_ignored(settings, solution, io);
  if (!solution.ok())
    io.err << "daedalus: " << to_string(solution.status())
           << " at t = " << brief(solution.end_time()) << ": " << solution.message() << '\n';
  io.out.flush();

  output.finish(report, io);
  if (picture) draw_run(run, solution, *picture, io);
  if (solution.ok() && InterruptGuard::requested()) return say_interrupted(io);
  return solution.ok() ? exit_success : exit_run_failed;
}

// Scripts read the document even when the run ended in an exception that is no status.
int guarded(const SolveSettings& settings, Session& io) {
  try {
    return solve_command(settings, io);
  } catch (const InvalidArgument&) {
    throw;
  } catch (const FileError&) {
    throw;
  } catch (const std::exception& error) {
    if (settings.json) {
      Json json = empty_solve_document(settings.run.problem);
      json["status"] = std::string(to_string(Status::callback_failed));
      json["message"] = error.what();
      print(io.out, json);
    }
    throw;
  }
}

}  // namespace

void add_solve(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<SolveSettings>();
  CLI::App* command =
      app.add_subcommand("solve", "Solve a problem of the catalogue or of a model file");
  add_problem_options(*command, settings->run);
  add_interval_options(*command, settings->run);
  add_method_options(*command, settings->run);
  add_tolerance_options(*command, settings->run);
  add_loop_options(*command, settings->run);
  add_output_options(*command, settings->output);
  add_rank_options(*command, settings->ranks);
  command->add_option("--plot", settings->plot,
                      "Draw the trajectory, run.svg or run.pdf (needs gnuplot)");
  command->add_flag("--ascii", settings->ascii, "Draw the trajectory in the terminal");
  command->add_option("--at", settings->at,
                      "Values at these times, a,b,...: samples of the JSON, a table in the text");
  command->add_option("--analysis", settings->analysis,
                      "Of a netlist: op, dc, tran, ac or pz (default: what it asks for)");
  command->add_flag("--watch-drift", settings->watch_drift,
                    "Residuals of the constraints at position, velocity and acceleration level\n"
                    "after every step, and the power of t with which they grow");
  command->add_option("--project-invariants", settings->invariants,
                      "Invariants of the problem that the projection holds as well, a,b,...");
  command->add_flag("--json", settings->json, "Print JSON");
  command->add_flag("--quiet", settings->quiet, "Print no report; files are written all the same");
  command->footer(
      "Errors are measured at the end time where a reference (same end time, standard\n"
      "parameters) or an exact solution is known. relative: largest |error / reference| over\n"
      "the counted variables; scd: -log10 of it; mescd: -log10 of the largest\n"
      "|error| / (atol/rtol + |reference|); per class: largest |error| / max(|reference|,\n"
      "atol/rtol) over all variables of the class that have a reference.");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return guarded(*settings, session); };
  });
}

}  // namespace daedalus::cli
