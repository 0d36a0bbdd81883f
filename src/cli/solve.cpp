// daedalus solve PROBLEM
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <daedalus/solve.hpp>

#include "cli/files.hpp"
#include "cli/json.hpp"
#include "cli/numbers.hpp"
#include "cli/plot.hpp"
#include "cli/progress.hpp"
#include "cli/run_document.hpp"
#include "cli/session.hpp"
#include "cli/settings.hpp"
#include "cli/solve_report.hpp"
#include "cli/trajectory.hpp"

namespace daedalus::cli {
namespace {

struct SolveSettings {
  RunSettings run;
  int points = 0;
  std::string out, plot, report, trace, invariants;
  bool json = false, quiet = false, watch_drift = false;
};

Json describe(const StepRecord& r) {
  return Json{{"number", r.number},
              {"t", number(r.t)},
              {"h", number(r.h)},
              {"order", r.order},
              {"error", number(r.error)},
              {"newton_iterations", r.newton_iterations},
              {"outcome", std::string(r.outcome)},
              {"worst", text_or_null(std::string(r.worst_name))}};
}

// The trace is written as the run goes, so that it can be watched and survives a killed run.
std::optional<std::ofstream> open_trace(const std::string& path) {
  if (path.empty()) return std::nullopt;
  std::ofstream file(path, std::ios::trunc);
  if (!file) throw FileError("'" + path + "' cannot be written");
  return file;
}

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

void draw_run(const PreparedRun& run, const Solution& solution, const std::string& path,
              Session& io) {
  if (solution.times().size() < 2) {
    io.err << "daedalus: '" << path << "' was not drawn: the run took no step\n";
    return;
  }
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
  draw(picture, path);
}

Solution compute(PreparedRun& run, const SolveSettings& settings, std::ofstream* trace,
                 StepTable& steps, Session& io) {
  ProgressBar bar(io.err, io.live && !settings.quiet, run.interval.from);
  const InterruptGuard guard;
  Options& o = run.options;
  // Constraint residuals are taken over reported states: all steps, whether or not they are kept.
  const bool dense = settings.points > 0 || !settings.plot.empty() || !settings.report.empty();
  o.output = dense ? Output::dense : Output::steps;
  if (o.project_output) {
    if (settings.points <= 0 || !settings.plot.empty())
      throw InvalidArgument(
          "--project-output projects the states that --points writes; give --out and --points, and "
          "no --plot");
    o.output = Output::times;
    o.output_times = sample_times(run.interval.from, run.interval.to, settings.points);
  }
  o.watch_drift = settings.watch_drift || !settings.report.empty();
  if (!settings.invariants.empty()) o.project_invariants = split(settings.invariants, ',');
  o.cancel = InterruptGuard::requested;
  o.progress = [&bar](const Progress& progress) { bar.update(progress); };
  const bool keep = !settings.report.empty() ||
                    (!settings.out.empty() && format_of(settings.out) == FileFormat::json);
  if (trace != nullptr || keep)
    o.trace = [trace, keep, &steps](const StepRecord& record) {
      if (trace != nullptr) *trace << line(describe(record)) << '\n';
      if (keep) steps.add(record);
    };
  return solve(run.problem, run.interval, o);
}

bool is_page(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".html" || ending == ".htm";
}

void check_file_names(const SolveSettings& settings) {
  if (!settings.out.empty()) format_of(settings.out);
  if (!settings.plot.empty() && std::filesystem::path(settings.plot).extension() != ".svg")
    throw InvalidArgument("--plot has '" + settings.plot + "'; the name must end in .svg");
  if (settings.report.empty()) return;
  if (!is_page(settings.report))
    throw InvalidArgument("--report has '" + settings.report + "'; the name must end in .html");
  need_report_page(settings.report);
}

void write_report(AtomicFile& file, const RunReport& report, const StepTable& steps, int points,
                  const Session& io) {
  const Interval& interval = report.run.interval;
  const Trajectory trajectory = points > 0
                                    ? sample(report.solution, interval.from, interval.to, points)
                                    : report_trajectory(report.solution);
  Json run = run_document(report, steps, io.command, trajectory);
  run["trajectory"] = describe(trajectory);
  file.stream() << report_page(run);
  file.commit();
}

void write_trajectory(AtomicFile& file, const RunReport& report, const StepTable& steps, int points,
                      const Session& io) {
  const Interval& interval = report.run.interval;
  const Trajectory trajectory = sample(report.solution, interval.from, interval.to, points);
  if (format_of(file.target()) == FileFormat::csv)
    write_csv(file.stream(), trajectory);
  else
    write_json(file.stream(), trajectory, run_document(report, steps, io.command, trajectory));
  file.commit();
}

int solve_command(const SolveSettings& settings, Session& io) {
  check_file_names(settings);
  PreparedRun run = prepare(settings.run);
  std::optional<AtomicFile> file, page;
  if (!settings.out.empty()) file.emplace(settings.out);
  if (!settings.report.empty()) page.emplace(settings.report);
  std::optional<std::ofstream> trace = open_trace(settings.trace);

  StepTable steps;
  const Solution solution = compute(run, settings, trace ? &*trace : nullptr, steps, io);
  const RunReport report = make_report(run, solution);
  if (settings.json)
    print(io.out, solve_document(report));
  else if (!settings.quiet)
    print_text(report, io);
  for (const std::string& warning : solution.warnings()) io.err << "warning: " << warning << '\n';
  if (!solution.ok())
    io.err << "daedalus: " << to_string(solution.status())
           << " at t = " << brief(solution.end_time()) << ": " << solution.message() << '\n';
  io.out.flush();

  if (trace && !trace->flush()) throw FileError("'" + settings.trace + "' could not be written");
  if (file) write_trajectory(*file, report, steps, settings.points, io);
  if (page) write_report(*page, report, steps, settings.points, io);
  if (!settings.plot.empty()) draw_run(run, solution, settings.plot, io);
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
  CLI::App* command = app.add_subcommand("solve", "Solve a problem of the catalogue");
  add_problem_options(*command, settings->run);
  add_interval_options(*command, settings->run);
  add_method_options(*command, settings->run);
  add_tolerance_options(*command, settings->run);
  add_loop_options(*command, settings->run);
  command->add_option("--out", settings->out,
                      "Write the trajectory, run.csv or run.json: every step, or --points times");
  command->add_option("--points", settings->points, "Equidistant times in --out (dense output)")
      ->check(CLI::Range(2, 100000000));
  command->add_option("--plot", settings->plot, "Draw the trajectory, run.svg (needs gnuplot)");
  command->add_option("--report", settings->report,
                      "Write a page with plots and animation, run.html; implies --watch-drift");
  command->add_option("--trace", settings->trace, "Write every attempted step, one JSON per line");
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
