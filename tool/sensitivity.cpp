// SPDX-License-Identifier: BSD-3-Clause
// daedalus sensitivity PROBLEM --parameters a,b: derivatives of the solution with respect to
// parameters and start values.
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/sensitivity.hpp>
#include <daedalus/solve.hpp>

#include "tool/gradient.hpp"
#include "tool/json.hpp"
#include "tool/models.hpp"
#include "tool/numbers.hpp"
#include "tool/plot.hpp"
#include "tool/progress.hpp"
#include "tool/sensitivity_output.hpp"
#include "tool/session.hpp"
#include "tool/settings.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

struct SensitivitySettings {
  RunSettings run;
  std::string parameters, start, at, out, plot, scheme = "automatic", spread = "0.1";
  bool scaled = false, check = false, json = false;
  GradientSettings gradient;
};

// Gradients have one run and no columns over time.
int gradient_of(SensitivitySettings settings, PreparedRun& run, Session& io) {
  if (settings.check || !settings.out.empty() || !settings.at.empty() || !settings.plot.empty())
    throw InvalidArgument(
        "--adjoint gives numbers, not columns: leave --check, --out, --plot and --at away");
  settings.gradient.scaled = settings.scaled;
  settings.gradient.json = settings.json;
  return gradient_command(settings.gradient, run, io);
}

Eigen::MatrixXd shown(const Sensitivity& d, bool scaled) {
  return scaled ? d.scaled() : d.matrix();
}

Json by_names(const Sensitivity& d, bool scaled) {
  const Eigen::MatrixXd m = shown(d, scaled);
  Json all = Json::object();
  for (int i = 0; i < m.rows(); ++i) {
    Json row = Json::object();
    for (int j = 0; j < m.cols(); ++j)
      row[d.columns()[static_cast<std::size_t>(j)].name] = number(m(i, j));
    all[d.variables()[static_cast<std::size_t>(i)]] = row;
  }
  return all;
}

Json state_json(const ModelState& s) {
  Json y = Json::object();
  const Eigen::VectorXd values = s.y();
  for (Eigen::Index i = 0; i < values.size(); ++i)
    y[s.variables().names[static_cast<std::size_t>(i)]] = number(values[i]);
  return y;
}

// Everything beyond the contract's fields.
Json story_json(const Solution& solution, const Sensitivity& d, bool scaled) {
  using Kind = SensitivityColumn::Kind;
  const SensitivityStory& story = solution.sensitivities();
  Json json = Json::object();
  json["columns"] = Json::array();
  for (const SensitivityColumn& c : story.columns)
    json["columns"].push_back(Json{{"name", c.name},
                                   {"kind", c.kind == Kind::parameter ? "parameter" : "start"},
                                   {"value", number(c.value)},
                                   {"derivative", std::string(to_string(c.derivative))}});
  json["variables"] = story.variables;
  json["t"] = number(d.t());
  const Eigen::MatrixXd m = shown(d, scaled);
  json["matrix"] = Json::array();
  for (int i = 0; i < m.rows(); ++i) {
    Json row = Json::array();
    for (int j = 0; j < m.cols(); ++j) row.push_back(number(m(i, j)));
    json["matrix"].push_back(row);
  }
  json["scaled"] = scaled;
  json["method"] = std::string(to_string(story.method));
  json["scheme"] = story.scheme;
  json["error_test"] = story.error_test;
  json["error_estimate"] = number(story.error_estimate);
  json["events"] = Json::array();
  for (const EventRecord& e : solution.events()) {
    Json times = Json::array();
    for (const double v : e.time_derivative) times.push_back(number(v));
    json["events"].push_back(
        Json{{"name", e.name}, {"t", number(e.t)}, {"time_derivative", times}});
  }
  json["statistics"] = Json{{"solves", story.solves},
                            {"directional_evaluations", story.directional_evaluations},
                            {"factorisations", story.factorisations},
                            {"seconds", number(story.seconds)}};
  json["ranking"] = Json::array();
  for (const Influence& i : influences(solution))
    json["ranking"].push_back(Json{{"name", i.name}, {"influence", number(i.value)}});
  json["warnings"] = solution.warnings();
  return json;
}

Json sensitivity_json(const SensitivitySettings& settings, const PreparedRun& run,
                      const Solution& solution, const std::vector<double>& times) {
  Json json = document();
  json["problem"] = run.entry.name;
  add_origin(json, run.entry);
  json["status"] = std::string(to_string(solution.status()));
  json["message"] = solution.message();
  json["method"] = solution.choice().method;
  json["formulation"] = text_or_null(solution.choice().formulation);
  json["t"] = number(solution.end_time());
  json["y"] = state_json(solution.end());
  json["parameters"] = Json::array();
  const Sensitivity d = solution.sensitivity(solution.end_time());
  for (const SensitivityColumn& c : d.columns()) json["parameters"].push_back(c.name);
  json["sensitivities"] = by_names(d, settings.scaled);
  json["samples"] = Json::array();
  for (const double t : times) {
    if (!solution.ok() && std::abs(t) > std::abs(solution.end_time())) continue;
    json["samples"].push_back(
        Json{{"t", number(t)},
             {"y", state_json(solution.at(t))},
             {"sensitivities", by_names(solution.sensitivity(t), settings.scaled)}});
  }
  json["sensitivity"] = story_json(solution, d, settings.scaled);
  return json;
}

void print_sensitivity(const PreparedRun& run, const Solution& solution, Session& io) {
  const Sensitivity d = solution.sensitivity(solution.end_time());
  io.out << labelled("problem",
                     fmt::format("{}: {}", io.paint.bold(run.entry.name), run.entry.title));
  io.out << labelled("method", fmt::format("{}; columns by {}", solution.choice().method,
                                           solution.sensitivities().scheme));
  io.out << labelled("table", fmt::format("p dx/dp at t = {}: the change of x for a change of p by "
                                          "100 %; * marks the largest of a row",
                                          brief(solution.end_time())));
  std::vector<std::string> header{"variable"};
  std::vector<Align> align{Align::left};
  for (const SensitivityColumn& c : d.columns()) {
    header.push_back(c.name);
    align.push_back(Align::right);
  }
  Table table(header, align);
  const Eigen::MatrixXd m = d.scaled();
  for (int i = 0; i < m.rows(); ++i) {
    std::vector<std::string> row{d.variables()[static_cast<std::size_t>(i)]};
    Eigen::Index largest = -1;
    if (m.row(i).cwiseAbs().maxCoeff() > 0.0) m.row(i).cwiseAbs().maxCoeff(&largest);
    for (int j = 0; j < m.cols(); ++j)
      row.push_back(fmt::format("{:.6g}{}", m(i, j), j == largest ? "*" : " "));
    table.add(row);
  }
  io.out << "\n";
  table.print(io.out, "  ");
  std::string ranking;
  for (const Influence& i : influences(solution))
    ranking += fmt::format("{}{} {:.2g}", ranking.empty() ? "" : ", ", i.name, i.value);
  io.out << "\n"
         << labelled("influence", ranking + "  (p dx/dp over the largest x, root mean square)");
}

int check_command(const SensitivitySettings& settings, const PreparedRun& run, Session& io) {
  const SensitivityCheck c = check_sensitivities(run.problem, run.interval, run.options);
  if (settings.json) {
    Json json = document();
    json["problem"] = run.entry.name;
    json["worst"] = number(c.worst);
    json["message"] = c.message;
    if (c.variable < 0) mark_interrupted(json);
    print(io.out, json);
  } else {
    io.out << labelled("check", fmt::format("largest relative difference {:.2g}", c.worst));
    io.out << labelled("", c.message);
  }
  return c.variable >= 0 ? exit_success : exit_run_failed;
}

void choose_scheme(const SensitivitySettings& settings, Options& o) {
  std::string allowed;
  for (const SensitivityMethod m : {SensitivityMethod::automatic, SensitivityMethod::staggered,
                                    SensitivityMethod::simultaneous, SensitivityMethod::step}) {
    if (to_string(m) == settings.scheme) {
      o.sensitivities.method = m;
      return;
    }
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", to_string(m));
  }
  throw InvalidArgument(fmt::format("--scheme has '{}'; allowed are {}", settings.scheme, allowed));
}

// --error-test alone, or with `derivatives`: columns take part in it. The other values are those of
// all runs.
bool tests_columns(const CLI::App& command, RunSettings& run) {
  if (command.count("--error-test") == 0) return false;
  if (!run.error_test.empty() && run.error_test != "derivatives") return false;
  run.error_test = "automatic";
  return true;
}

int sensitivity_command(const CLI::App& command, SensitivitySettings settings, Session& io) {
  const double spread = parse_number("--spread", settings.spread);
  if (!(spread > 0.0 && std::isfinite(spread)))
    throw InvalidArgument(
        fmt::format("--spread has {}; give a number > 0, 0.1 for 10 %", settings.spread));
  const bool tested = tests_columns(command, settings.run);
  std::unique_ptr<AtomicFile> picture;
  if (!settings.plot.empty()) picture = picture_file(settings.plot);
  PreparedRun run = prepare(settings.run);
  run.options.sensitivities.error_test = tested;
  Options& o = run.options;
  if (!settings.parameters.empty()) o.sensitivities.parameters = split(settings.parameters, ',');
  if (!settings.start.empty()) o.sensitivities.start_values = split(settings.start, ',');
  if (o.sensitivities.empty())
    throw InvalidArgument(
        "sensitivity: give --parameters a,b (or '*' for all) or --start-values x,y");
  choose_scheme(settings, o);
  if (!settings.gradient.functionals.empty()) return gradient_of(settings, run, io);
  if (settings.check) return check_command(settings, run, io);
  std::vector<double> times;
  if (!settings.at.empty()) times = parse_list("--at", settings.at);
  const auto [low, high] = std::minmax(run.interval.from, run.interval.to);
  for (const double t : times)
    if (!(t >= low && t <= high))
      throw InvalidArgument(fmt::format("--at has {}; the run goes from {} to {}", brief(t),
                                        brief(run.interval.from), brief(run.interval.to)));
  // Nobody else writes it, and a place that cannot be written ends the command before the run.
  std::optional<AtomicFile> place;
  if (!settings.out.empty()) {
    check_sensitivity_file(settings.out);
    place.emplace(settings.out);
  }
  o.output = place || !times.empty() || picture ? Output::dense : Output::end;
  const Solution solution = [&] {
    ProgressBar bar(io.err, io.live, run.interval.from);
    const InterruptGuard guard;
    o.cancel = InterruptGuard::requested;
    o.progress = [&bar](const Progress& progress) { bar.update(progress); };
    return solve(run.problem, run.interval, o);
  }();
  if (settings.json)
    print(io.out, sensitivity_json(settings, run, solution, times));
  else
    print_sensitivity(run, solution, io);
  for (const std::string& warning : solution.warnings()) io.err << "warning: " << warning << '\n';
  if (!solution.ok())
    io.err << "daedalus: " << to_string(solution.status())
           << " at t = " << brief(solution.end_time()) << ": " << solution.message() << '\n';
  if (place) {
    const std::string written = write_sensitivities(settings.out, solution);
    if (!solution.ok()) io.err << "daedalus: what was computed is in " << written << '\n';
  }
  if (picture && solution.times().size() > 1)
    draw_sensitivities(run.entry.name, solution, spread, *picture);
  return solution.ok() ? exit_success : exit_run_failed;
}

}  // namespace

void add_sensitivity(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<SensitivitySettings>();
  CLI::App* command = app.add_subcommand(
      "sensitivity", "Derivatives of the solution with respect to parameters and start values");
  add_problem_options(*command, settings->run);
  add_interval_options(*command, settings->run);
  add_method_options(*command, settings->run);
  add_tolerance_options(*command, settings->run);
  add_loop_options(*command, settings->run);
  command->add_option("--parameters", settings->parameters,
                      "Names, a,b,...; '*': all that one can differentiate by");
  command->add_option("--start-values", settings->start,
                      "Variables whose start values are columns, x,y");
  command->add_option("--at", settings->at, "Also at these times, a,b,...: samples of the JSON");
  command->add_flag("--scaled", settings->scaled, "p dx/dp instead of dx/dp in the JSON");
  command->add_flag("--check", settings->check,
                    "Compare with differences of two runs per parameter and name the worst entry");
  command->add_option("--out", settings->out,
                      "Write states and derivatives at all steps, run.csv; .json, .npz, .raw, .h5");
  command->add_option("--plot", settings->plot,
                      "Draw curves with bands and p dx/dp, run.svg or run.pdf");
  command
      ->add_option("--spread", settings->spread,
                   "Of --plot: how far parameters may be off, for the bands (0.1: 10 %)")
      ->capture_default_str();
  command
      ->add_option("--scheme", settings->scheme,
                   "How columns follow the steps: automatic, staggered, simultaneous, step")
      ->capture_default_str();
  CLI::Option* const test = command->get_option("--error-test");
  test->expected(0, 1)->default_str("derivatives");  // where the value is left out
  test->description(
      test->get_description() +
      ";\nderivatives, or no value: columns take part in it (off without the option)");
  command->add_option("--adjoint,--gradient", settings->gradient.functionals,
                      "Gradient of end(V) or integral(V), V a variable or an invariant, or V^2; "
                      "repeatable");
  command->add_option("--way", settings->gradient.way,
                      "Of --adjoint: a run backwards (adjoint), columns (forward), automatic");
  command->add_option("--memory", settings->gradient.memory,
                      "Of --adjoint: MB for the run forwards (256)");
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback([settings, command, &session] {
    session.action = [settings, command, &session] {
      return sensitivity_command(*command, *settings, session);
    };
  });
}

}  // namespace daedalus::cli
