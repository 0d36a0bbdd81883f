// SPDX-License-Identifier: BSD-3-Clause
// daedalus perturb PROBLEM --formulation F --method M
#include <cmath>
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/formulation.hpp>
#include <daedalus/perturbation.hpp>

#include "tool/json.hpp"
#include "tool/numbers.hpp"
#include "tool/perturb_report.hpp"
#include "tool/progress.hpp"
#include "tool/session.hpp"
#include "tool/settings.hpp"

namespace daedalus::cli {
namespace {

struct PerturbSettings {
  RunSettings run;
  std::string rows = "automatic", kind = "alternating", theta = "1e-4,1e-5,1e-6",
              h = "1e-2,1e-3,1e-4", components, sweep, accuracy = "1e-11";
  unsigned long seed = 1;
  bool at_end = false, json = false;
};

PerturbationKind kind_named(const std::string& text) {
  if (text == "smooth") return PerturbationKind::smooth;
  if (text == "alternating") return PerturbationKind::alternating;
  if (text == "rotating") return PerturbationKind::rotating;
  if (text == "random") return PerturbationKind::random;
  if (text == "single") return PerturbationKind::single_precision;
  throw InvalidArgument(fmt::format(
      "--kind has '{}'; allowed are alternating, rotating, smooth, random, single", text));
}

// A level, or names of equations.
void set_rows(const std::string& text, PerturbationStudy& study) {
  const std::pair<const char*, PerturbedRows> levels[] = {
      {"automatic", PerturbedRows::automatic},
      {"position", PerturbedRows::position},
      {"velocity", PerturbedRows::velocity},
      {"acceleration", PerturbedRows::acceleration},
      {"differential", PerturbedRows::differential}};
  for (const auto& [name, rows] : levels)
    if (text == name) {
      study.rows = rows;
      return;
    }
  study.rows = PerturbedRows::named;
  study.row_names = split(text, ',');
}

PerturbationStudy study_of(const PerturbSettings& settings, const PreparedRun& run) {
  PerturbationStudy study;
  study.problem = run.problem;
  study.interval = run.interval;
  study.options = run.options;
  set_rows(settings.rows, study);
  study.kind = kind_named(settings.kind);
  study.seed = settings.seed;
  study.thetas = parse_list("--theta", settings.theta);
  study.steps = parse_steps("--h", settings.h);
  if (!settings.components.empty()) study.components = split(settings.components, ',');
  study.at_end = settings.at_end;
  study.accuracy = parse_number("--accuracy", settings.accuracy);
  return study;
}

struct SweptSetting {
  std::string parameter;
  std::vector<double> values;
};

SweptSetting parse_sweep(const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0)
    throw InvalidArgument(fmt::format("--sweep has '{}'; give name=a,b,c", text));
  return {text.substr(0, sign), parse_list("--sweep", text.substr(sign + 1))};
}

// A parameter of the problem, else an option of the formulation, else one of the method.
ParameterSetting setting_of(const PreparedRun& run, const std::string& name,
                            const PerturbationReport& report) {
  for (const Parameter& p : run.entry.parameters)
    if (p.name == name)
      return [&run, name](double value, PerturbationStudy& study) {
        problems::Values values = run.parameters.all;
        values[name] = value;
        study.problem = run.entry.problem(values);
      };
  for (const Formulation& f : all_formulations())
    for (const MethodOption& o : f.options)
      if (f.name == report.formulation && o.key == name)
        return [name](double value, PerturbationStudy& study) {
          study.options.formulation_options[name] = value;
        };
  if (const Method* method = find_method(report.method))
    for (const MethodOption& o : method->options)
      if (o.key == name)
        return [name](double value, PerturbationStudy& study) {
          study.options.method_options[name] = value;
        };
  std::string allowed;
  for (const Parameter& p : run.entry.parameters) allowed += " " + p.name;
  throw InvalidArgument(fmt::format(
      "--sweep: '{}' is no parameter of '{}' and no option of its formulation or method; the "
      "parameters are{}",
      name, run.entry.name, allowed.empty() ? " none" : allowed));
}

int perturb_command(const PerturbSettings& settings, Session& io) {
  const PreparedRun run = prepare(settings.run);
  PerturbationStudy study = study_of(settings, run);
  RunsLine line(io.err, io.live);
  study.options.progress = [&line](const Progress& progress) { line.update(progress); };
  PerturbationOutcome outcome;
  outcome.problem = run.entry.name;
  outcome.origin = loaded_from_file(run.entry);
  outcome.title = run.entry.title;
  outcome.kind = settings.kind;
  outcome.multibody = std::holds_alternative<MultibodyProblem>(study.problem);
  outcome.report = perturb(study);
  if (!settings.sweep.empty() && outcome.report.failure.empty()) {
    const SweptSetting sweep = parse_sweep(settings.sweep);
    outcome.sweep = uniform_index(study, sweep.parameter, sweep.values,
                                  setting_of(run, sweep.parameter, outcome.report));
  }
  line.done();
  if (settings.json) {
    Json json = describe_perturbation(outcome);
    mark_interrupted(json);
    print(io.out, json);
  } else {
    print_perturbation(outcome, io);
  }
  for (const std::string& warning : outcome.report.warnings)
    io.err << "daedalus: warning: " << warning << '\n';
  if (InterruptGuard::requested()) return say_interrupted(io);
  if (outcome.report.failure.empty()) return exit_success;
  io.err << "daedalus: the study stopped: " << outcome.report.failure << '\n';
  return exit_run_failed;
}

}  // namespace

void add_perturb(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<PerturbSettings>();
  CLI::App* command = app.add_subcommand(
      "perturb", "Measure what residuals in chosen equations do to each component");
  add_problem_options(*command, settings->run);
  add_interval_options(*command, settings->run);
  add_method_options(*command, settings->run);
  add_tolerance_options(*command, settings->run);
  command
      ->add_option("--rows", settings->rows,
                   "Equations to perturb: automatic (the algebraic ones), position, velocity,\n"
                   "acceleration, differential, or names a,b,...")
      ->capture_default_str();
  command
      ->add_option("--kind", settings->kind,
                   "Residual of step n: alternating, rotating (a quarter of a turn per step and\n"
                   "equation), smooth, random, single (rounding of a sine to single precision)")
      ->capture_default_str();
  command->add_option("--theta", settings->theta, "Sizes of the residual, a,b,...")
      ->capture_default_str();
  command->add_option("--h", settings->h, "Constant steps: a list 1e-2,1e-3 or a range 2^-3:2^-9")
      ->capture_default_str();
  command->add_option("--components", settings->components,
                      "Components: y, z or q, v, Sv, Gv, lambda, eta, ..., or variables; a,b,...");
  command->add_flag("--at-end", settings->at_end,
                    "Errors at the end time instead of the largest over all steps");
  command
      ->add_option("--sweep", settings->sweep,
                   "Repeat for values of a parameter of the problem or an option of the\n"
                   "formulation or method, name=a,b,c: the uniform perturbation index")
      ->default_str("");
  add_whole(*command, "--seed", settings->seed, "Of --kind random", 0, 1'000'000'000'000'000);
  command
      ->add_option("--accuracy", settings->accuracy,
                   "Tolerance of the nonlinear equations in the runs with constant steps")
      ->capture_default_str();
  command->add_flag("--json", settings->json, "Print JSON");
  command->footer(
      "error ~ C theta^a h^b is fitted per component and set beside the theory's exponents.\n"
      "--rtol and --atol are those of the run whose constraint residuals are judged.");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return perturb_command(*settings, session); };
  });
}

}  // namespace daedalus::cli
