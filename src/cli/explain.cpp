// daedalus explain PROBLEM: the method that solve would use, and why.
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/integrator.hpp>
#include <daedalus/solve.hpp>

#include "cli/json.hpp"
#include "cli/session.hpp"
#include "cli/settings.hpp"
#include "cli/table.hpp"

namespace daedalus::cli {
namespace {

// The linear solver is chosen when the system is set up, so it is set up without a step.
std::string linear_solver(const PreparedRun& run) {
  try {
    Integrator integrator(run.problem, run.options);
    integrator.initialize(run.interval.from, run.interval.to);
    return integrator.solution().choice().linear_solver;
  } catch (const std::exception&) {
    return {};  // start values may fail where the recommendation still stands
  }
}

int explain(const RunSettings& settings, bool as_json, Session& io) {
  const PreparedRun run = prepare(settings);
  const Recommendation choice = recommend(run.problem, run.options);
  const std::string solver = linear_solver(run);
  if (as_json) {
    Json json = document();
    json["problem"] = run.entry.name;
    json["method"] = choice.method;
    json["formulation"] = text_or_null(choice.formulation);
    json["linear_solver"] = text_or_null(solver);
    json["reason"] = choice.reason;
    json["alternatives"] = Json::array();
    print(io.out, json);
    return exit_success;
  }
  io.out << labelled("problem", fmt::format("{}: {} ({}, index {})", io.paint.bold(run.entry.name),
                                            run.entry.title, run.entry.form, run.entry.index))
         << labelled("method", choice.method);
  if (!choice.formulation.empty()) io.out << labelled("formulation", choice.formulation);
  if (!solver.empty()) io.out << labelled("algebra", solver);
  io.out << labelled("reason", choice.reason);
  return exit_success;
}

}  // namespace

void add_explain(CLI::App& app, Session& session) {
  struct Settings {
    RunSettings run;
    bool json = false;
  };
  const auto settings = std::make_shared<Settings>();
  CLI::App* command = app.add_subcommand("explain", "Tell which method would be used, and why");
  add_problem_options(*command, settings->run);
  add_interval_options(*command, settings->run);
  add_method_options(*command, settings->run);
  add_tolerance_options(*command, settings->run);
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback([settings, &session] {
    session.action = [settings, &session] {
      return explain(settings->run, settings->json, session);
    };
  });
}

}  // namespace daedalus::cli
