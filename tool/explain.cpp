// SPDX-License-Identifier: BSD-3-Clause
// daedalus explain PROBLEM: the method that solve would use, why, and the runners-up.
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/integrator.hpp>
#include <daedalus/recommend.hpp>
#include <daedalus/solve.hpp>

#include "tool/json.hpp"
#include "tool/models.hpp"
#include "tool/session.hpp"
#include "tool/settings.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

// Linear solver and stiffness are known once the system is set up, so it is set up without a step.
std::optional<MethodChoice> started(const PreparedRun& run) {
  try {
    Integrator integrator(run.problem, run.options);
    const Status status = integrator.initialize(run.interval.from, run.interval.to);
    if (status != Status::success) return std::nullopt;
    return integrator.solution().choice();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return std::nullopt;  // start values may fail where the recommendation still stands
  }
}

std::string named(const std::string& method, const std::string& formulation) {
  return formulation.empty() ? method : fmt::format("{}, {}", method, formulation);
}

int explain(const RunSettings& settings, bool as_json, Session& io) {
  const PreparedRun run = prepare(settings);
  Recommendation choice = recommend(run.problem, run.options);
  std::string solver;
  if (const std::optional<MethodChoice> used = started(run)) {
    solver = used->linear_solver;
    if (used->method != choice.method || used->formulation != choice.formulation) {
      // What the start values showed puts another one first.
      std::erase_if(choice.alternatives, [&](const Alternative& a) {
        return a.method == used->method && a.formulation == used->formulation;
      });
      choice.alternatives.insert(choice.alternatives.begin(),
                                 {choice.method, choice.formulation, choice.reason});
      choice.method = used->method;
      choice.formulation = used->formulation;
      choice.reason = used->reason;
    }
  }
  choice.reason = run.reason(choice.reason);
  if (as_json) {
    Json json = document();
    json["problem"] = run.entry.name;
    add_origin(json, run.entry);
    json["method"] = choice.method;
    json["formulation"] = text_or_null(choice.formulation);
    json["linear_solver"] = text_or_null(solver);
    json["reason"] = choice.reason;
    json["alternatives"] = Json::array();
    for (const Alternative& a : choice.alternatives)
      json["alternatives"].push_back(Json{{"method", a.method},
                                          {"formulation", text_or_null(a.formulation)},
                                          {"reason", a.reason}});
    print(io.out, json);
    return exit_success;
  }
  io.out << labelled("problem", fmt::format("{}: {} ({}, index {})", io.paint.bold(run.entry.name),
                                            run.entry.title, run.entry.form, run.entry.index))
         << labelled("method", choice.method);
  if (!choice.formulation.empty()) io.out << labelled("formulation", choice.formulation);
  if (!solver.empty()) io.out << labelled("algebra", solver);
  io.out << labelled("reason", choice.reason);
  for (std::size_t k = 0; k < choice.alternatives.size(); ++k) {
    const Alternative& a = choice.alternatives[k];
    io.out << labelled(k == 0 ? "runners-up" : "",
                       fmt::format("{}: {}", named(a.method, a.formulation), a.reason));
  }
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
