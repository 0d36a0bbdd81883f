// SPDX-License-Identifier: BSD-3-Clause
// daedalus compare PROBLEM: every formulation with every method that fits, in one table.
#include <memory>
#include <ostream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <daedalus/comparison.hpp>

#include "tool/json.hpp"
#include "tool/models.hpp"
#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/progress.hpp"
#include "tool/session.hpp"
#include "tool/settings.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

std::vector<std::string> listed(const std::string& text, const std::vector<std::string>& all,
                                const char* what) {
  if (text.empty()) return all;
  std::vector<std::string> chosen;
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');) {
    if (std::find(all.begin(), all.end(), name) == all.end())
      throw InvalidArgument(unknown_name(what, name, all, fmt::format("daedalus list {}s", what)));
    chosen.push_back(name);
  }
  return chosen;
}

// Digits of the catalogue's variables at the end of a run that succeeded.
Digits digits_of(const PreparedRun& run) {
  return [&run](const Solution& s) {
    const auto target = target_at(run.entry, run.parameters, s.end_time());
    if (!target || !s.ok()) return std::numeric_limits<double>::quiet_NaN();
    const ModelState end = s.end();
    return measure_error(end.view(), *target, run.options.rtol, run.options.atol).mescd;
  };
}

Json describe(const MeasuredRun& c) {
  const Counts total = c.statistics.total();
  return Json{{"formulation", text_or_null(c.formulation)},
              {"method", c.method},
              {"status", c.status},
              {"message", text_or_null(c.message)},
              {"mescd", number(c.digits)},
              {"steps", c.statistics.steps()},
              {"function_evaluations", total.function_evaluations + total.residual_evaluations},
              {"jacobian_evaluations", total.jacobian_evaluations},
              {"factorisations", total.factorisations},
              {"position_max", number(c.statistics.position_residual)},
              {"velocity_max", number(c.statistics.velocity_residual)}};
}

std::vector<std::string> cells(const MeasuredRun& c) {
  const Counts total = c.statistics.total();
  const auto shown = [](double x, const char* format) {
    return std::isnan(x) ? std::string("-") : fmt::format(fmt::runtime(format), x);
  };
  const bool ok = c.status == "success";
  return {c.formulation.empty() ? "-" : c.formulation,
          c.method,
          ok ? shown(c.digits, "{:.2f}") : c.status,
          std::to_string(c.statistics.steps()),
          std::to_string(total.function_evaluations + total.residual_evaluations),
          std::to_string(total.factorisations),
          shown(c.statistics.position_residual, "{:.1e}"),
          shown(c.statistics.velocity_residual, "{:.1e}")};
}

// Without bars, which would divide the columns of a Markdown table.
const std::vector<std::string> comparison_columns{
    "formulation", "method", "mescd", "steps", "f", "LU", "max g", "max G v + g_t"};

struct CompareSettings {
  RunSettings run;
  std::string methods, formulations;
  bool json = false, markdown = false;
};

int compare(const CompareSettings& settings, Session& io) {
  const PreparedRun run = prepare(settings.run);
  const bool multibody = std::holds_alternative<MultibodyProblem>(run.problem);
  std::vector<std::string> formulations =
      listed(settings.formulations, formulation_names(), "formulation");
  if (!multibody && settings.formulations.empty())
    formulations.insert(formulations.begin(), "auto");
  const std::vector<std::string> methods = listed(settings.methods, method_names(), "method");
  Json runs = Json::array();
  bool regularised = false;
  Table table(comparison_columns, {Align::left, Align::left, Align::right, Align::right,
                                   Align::right, Align::right, Align::right, Align::right});
  if (settings.markdown)
    io.out << fmt::format("| {} |\n|{}\n", fmt::join(comparison_columns, " | "),
                          "---|---|---:|---:|---:|---:|---:|---:|");
  RunsLine line(io.err, io.live);
  ComparisonSettings comparison{.methods = methods, .formulations = formulations};
  comparison.digits = digits_of(run);
  comparison.cancel = InterruptGuard::requested;
  comparison.begin = [&line](Options& options) {
    line.begin(options.formulation + ", " + options.method);
    options.progress = [&line](const Progress& progress) { line.update(progress); };
  };
  comparison.finished = [&](const MeasuredRun& c) {
    regularised = regularised || c.formulation == "regularised";
    if (settings.json)
      runs.push_back(describe(c));
    else if (settings.markdown)
      io.out << fmt::format("| {} |\n", fmt::join(cells(c), " | ")) << std::flush;
    else
      table.add(cells(c));
  };
  Options options = run.options;
  options.output = Output::steps;
  compare_methods(run.problem, run.interval, options, comparison);
  line.done();
  if (settings.json) {
    Json json = document();
    json["problem"] = run.entry.name;
    add_origin(json, run.entry);
    json["rtol"] = number(run.options.rtol);
    json["runs"] = runs;
    mark_interrupted(json);
    print(io.out, json);
  } else if (!settings.markdown) {
    table.print(io.out);
    if (regularised)
      io.out << "regularised is another problem: its error is proportional to epsilon\n"
                "(--formulation-option epsilon=...), and no tolerance reduces it.\n";
  }
  return InterruptGuard::requested() ? say_interrupted(io) : exit_success;
}

}  // namespace

void add_compare(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<CompareSettings>();
  CLI::App* command = app.add_subcommand(
      "compare", "Solve a problem in every formulation with every method that fits");
  command->footer(
      "Examples:\n"
      "  daedalus compare car-axis --rtol 1e-6\n"
      "  daedalus compare andrews --formulations index2,ggl --methods bdf,hedop5\n"
      "Methods without error estimate take part with --fixed-step.");
  add_problem_options(*command, settings->run);
  add_interval_options(*command, settings->run);
  add_tolerance_options(*command, settings->run);
  command->add_option("--methods", settings->methods, "Only these, separated by commas");
  command->add_option("--formulations", settings->formulations, "Only these, separated by commas");
  command
      ->add_option("--formulation-option", settings->run.formulation_options,
                   "Set an option of the formulation, key=value; repeatable")
      ->allow_extra_args(false);
  command
      ->add_option("--start", settings->run.start,
                   "Start values: automatic, solve (find consistent ones), given")
      ->capture_default_str();
  command->add_option("--fixed-step", settings->run.fixed_step,
                      "Constant steps without error control");
  add_whole(*command, "--max-steps", settings->run.max_steps, "Largest number of steps per run", 1,
            max_steps_limit);
  command->add_flag("--markdown", settings->markdown, "Print a Markdown table");
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return compare(*settings, session); };
  });
}

}  // namespace daedalus::cli
