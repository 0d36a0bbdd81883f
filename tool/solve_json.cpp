// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "io/run_file.hpp"
#include "tool/circuits.hpp"
#include "tool/mechanisms.hpp"
#include "tool/models.hpp"
#include "tool/progress.hpp"
#include "tool/solve_report.hpp"

namespace daedalus::cli {
namespace {

Json counts(const Counts& n) {
  return Json{{"residual_evaluations", n.residual_evaluations},
              {"function_evaluations", n.function_evaluations},
              {"jacobian_evaluations", n.jacobian_evaluations},
              {"jacobian_columns", n.jacobian_columns},
              {"mass_evaluations", n.mass_evaluations},
              {"constraint_evaluations", n.constraint_evaluations},
              {"constraint_jacobian_evaluations", n.constraint_jacobian_evaluations},
              {"curvature_evaluations", n.curvature_evaluations},
              {"factorisations", n.factorisations},
              {"solves", n.solves},
              {"newton_iterations", n.newton_iterations},
              {"newton_failures", n.newton_failures},
              {"krylov_iterations", n.krylov_iterations},
              {"krylov_failures", n.krylov_failures}};
}

Json describe(const Statistics& s) {
  Json json = statistics_object(s);
  // The counts again, each where it was spent.
  json["phases"] = Json{{"start", counts(s.in(Phase::start))},
                        {"step", counts(s.in(Phase::step))},
                        {"projection", counts(s.in(Phase::projection))},
                        {"events", counts(s.in(Phase::events))},
                        {"output", counts(s.in(Phase::output))}};
  return json;
}

Json describe(const Tolerance& tolerance) {
  if (tolerance.scalar()) return number(tolerance[0]);
  Json list = Json::array();
  for (int i = 0; i < tolerance.size(); ++i) list.push_back(number(tolerance[i]));
  return list;
}

Json describe_constraints(const Statistics& s) {
  if (std::isnan(s.position_residual) && std::isnan(s.velocity_residual)) return nullptr;
  return Json{{"position_max", number(s.position_residual)},
              {"velocity_max", number(s.velocity_residual)},
              {"acceleration_max", number(s.acceleration_residual)},
              {"drift", Json{{"position_growth", number(s.position_growth)},
                             {"velocity_growth", number(s.velocity_growth)},
                             {"acceleration_growth", number(s.acceleration_growth)}}}};
}

// All variables of the model under its own names: those that were eliminated and the outputs, too.
Json named_values(const PreparedRun& run, const ModelState& state) {
  const problems::Entry& entry = run.entry;
  const std::set<std::string> hidden = hidden_names(entry);
  std::vector<std::string> names;
  std::vector<Json> values;
  const auto add = [&](const std::string& name, double value) {
    if (hidden.count(name)) return;
    names.push_back(name);
    values.push_back(number(value));
  };
  for (int i = 0; i < state.variables().size(); ++i)
    add(state.variables().names[static_cast<std::size_t>(i)], state.all()[i]);
  const std::vector<double> outputs = output_values(run, state);
  for (std::size_t k = 0; k < outputs.size(); ++k) add(entry.outputs[k].name, outputs[k]);
  return members(names, std::move(values));
}

// Null where the run did not come.
Json sample_at(const PreparedRun& run, const Solution& solution, double t) {
  const bool forward = run.interval.to >= run.interval.from;
  const double end = solution.end_time();
  Json json{{"t", number(t)}, {"y", nullptr}};
  if (forward ? t > end : t < end) return json;
  json["y"] = named_values(run, t == end ? solution.end() : solution.at(t));
  return json;
}

// As it was asked for: runs of circuits and mechanisms are controlled to a part of it.
Json whole_tolerance(const Json& part, double share) {
  if (!part.is_array()) return number(part.get<double>() / share);
  Json list = Json::array();
  for (const Json& one : part) list.push_back(number(one.get<double>() / share));
  return list;
}

}  // namespace

std::vector<double> output_values(const PreparedRun& run, const ModelState& state) {
  const problems::Entry& entry = run.entry;
  if (!entry.evaluate_outputs || entry.outputs.empty()) return {};
  std::vector<double> outputs(entry.outputs.size());
  static const std::vector<double> none;
  const std::vector<double>* modes = run.modes ? run.modes->at(state.t()) : nullptr;
  const StateView view(state.variables(), state.t(), state.all().data(), modes ? *modes : none);
  entry.evaluate_outputs(run.parameters.all, view,
                         Out(outputs.data(), static_cast<Eigen::Index>(outputs.size())));
  return outputs;
}

Json empty_solve_document(const std::string& problem) {
  Json json = document();
  json["problem"] = problem;
  json["kind"] = nullptr;
  json["file"] = nullptr;
  for (const char* key : {"method",     "formulation", "reason",  "linear_solver",
                          "rtol",       "atol",        "status",  "message",
                          "t",          "y",           "error",   "constraints",
                          "statistics", "events",      "samples", "warnings",
                          "op",         "dc",          "ac",      "poles",
                          "circuit",    "mechanism"})
    json[key] = nullptr;
  return json;
}

RunReport make_report(const PreparedRun& run, const Solution& solution) {
  RunReport report{run, solution, std::nullopt, std::nullopt, {}};
  if (!solution.ok()) return report;
  report.target = target_at(run.entry, run.parameters, solution.end_time());
  if (report.target) {
    const ModelState end = solution.end();
    report.error = measure_error(end.view(), *report.target, run.options.rtol, run.options.atol);
  }
  return report;
}

Json solve_document(const RunReport& report) {
  const Solution& solution = report.solution;
  const MethodChoice& choice = solution.choice();
  Json json = empty_solve_document(report.run.entry.name);
  add_origin(json, report.run.entry);
  json["method"] = choice.method;
  json["formulation"] =
      text_or_null(report.run.circuit ? report.run.circuit->formulation() : choice.formulation);
  json["reason"] = report.run.reason(choice.reason);
  json["linear_solver"] = text_or_null(choice.linear_solver);
  json["rtol"] = number(report.run.options.rtol);
  json["atol"] = describe(report.run.options.atol);
  json["status"] = std::string(to_string(solution.status()));
  json["message"] = solution.message();
  json["t"] = number(solution.end_time());
  json["y"] = named_values(report.run, solution.end());
  if (!report.samples.empty()) {
    json["samples"] = Json::array();
    for (const double t : report.samples)
      json["samples"].push_back(sample_at(report.run, solution, t));
  }
  if (report.error) json["error"] = describe(*report.error, *report.target);
  json["constraints"] = describe_constraints(solution.statistics());
  json["statistics"] = describe(solution.statistics());
  json["events"] = Json::array();
  for (const EventRecord& event : solution.events())
    json["events"].push_back(Json{{"name", event.name}, {"t", number(event.t)}});
  json["warnings"] = solution.warnings();
  if (const auto& circuit = report.run.circuit) {
    json["op"] = operating_point_object(circuit->operating_point());
    json["circuit"] = circuit_object(*circuit);
    add_static_analyses(*circuit, circuit->analyses(),
                        static_results(*circuit, circuit->analyses()), json);
    if (solution.ok() && InterruptGuard::requested()) {
      json["status"] = std::string(to_string(Status::cancelled));
      json["message"] = "The analyses after the run were cancelled; what was finished is here.";
    }
    add_measurements(*circuit, solution, json);
  }
  if (const double share = report.run.tolerance_share; share != 1.0)
    for (const char* key : {"rtol", "atol"}) json[key] = whole_tolerance(json[key], share);
  if (const auto m = mechanism_of(report.run)) {
    json["mechanism"] = mechanism_object(*m, solution.end());
    for (std::string& warning : mechanism_warnings(report.run, *m))
      json["warnings"].push_back(std::move(warning));
    if (const std::string why = dead_end(*m, solution); !why.empty())
      json["message"] = solution.message() + " " + why;
  }
  return json;
}

}  // namespace daedalus::cli
