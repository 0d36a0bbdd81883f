// SPDX-License-Identifier: BSD-3-Clause
#include "io/run_file.hpp"

#include <ostream>

namespace daedalus {
namespace {

using json::Json;
using json::number;
using json::numbers;
using json::text_or_null;

Json described(const Problem& problem, const RunFile& file) {
  return {{"title", file.title.empty() ? name_of(problem) : file.title},
          {"form", form_of(problem)},
          {"index", index_of(problem)},
          {"source", text_or_null(file.source)},
          {"equations", text_or_null(file.equations)}};
}

Json described(const Variables& variables) {
  Json list = Json::array();
  for (const Variables::Range& range : variables.ranges)
    for (int i = range.first; i < range.first + range.count; ++i)
      list.push_back({{"name", variables.names[static_cast<std::size_t>(i)]},
                      {"class", to_string(range.cls)},
                      {"index", range.index}});
  return list;
}

Json described(const StepTable& steps) {
  Json worst = Json::object();
  for (const auto& [name, count] : steps.worst) worst[name] = count;
  return {{"t", numbers(steps.t)},
          {"h", numbers(steps.h)},
          {"order", steps.order},
          {"error", numbers(steps.error)},
          {"newton_iterations", steps.newton_iterations},
          {"outcome", steps.outcome},
          {"worst", std::move(worst)}};
}

Json described(const std::vector<DriftSample>& drift) {
  if (drift.empty()) return nullptr;
  const auto column = [&](double DriftSample::*field) {
    Json values = Json::array();
    for (const DriftSample& sample : drift) values.push_back(number(sample.*field));
    return values;
  };
  return {{"t", column(&DriftSample::t)},
          {"position", column(&DriftSample::position)},
          {"velocity", column(&DriftSample::velocity)},
          {"acceleration", column(&DriftSample::acceleration)}};
}

Json described(const Variables& variables, const Samples& samples) {
  std::vector<Json> columns;
  for (int i = 0; i < variables.size(); ++i) {
    Json values = Json::array();
    for (const Eigen::VectorXd& y : samples.y) values.push_back(number(y[i]));
    columns.push_back(std::move(values));
  }
  return {{"t", numbers(samples.t)}, {"y", json::members(variables.names, std::move(columns))}};
}

Json end_values(const ModelState& end) {
  std::vector<Json> values;
  for (int i = 0; i < end.variables().size(); ++i) values.push_back(number(end.y()[i]));
  return json::members(end.variables().names, std::move(values));
}

}  // namespace

Json statistics_object(const Statistics& s) {
  const Counts n = s.total();
  return {{"steps", s.steps()},
          {"accepted", s.accepted},
          {"rejected", s.rejected},
          {"residual_evaluations", n.residual_evaluations},
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
          {"krylov_failures", n.krylov_failures},
          {"projections", s.projections},
          {"chart_changes", s.chart_changes},
          {"restarts", s.restarts},
          {"events", s.events},
          {"order_histogram", s.order_histogram},
          {"h_min", number(s.h_min)},
          {"h_max", number(s.h_max)},
          {"proposed_step", number(s.proposed_step)},
          {"last_step", number(s.last_step)},
          {"last_error", number(s.last_error)},
          {"error_test_failures", s.error_test_failures},
          {"projection_failures", s.projection_failures},
          {"seconds", number(s.seconds)}};
}

Json run_members(const Problem& problem, const Solution& solution, const RunFile& file,
                 const Samples& samples, const Samples& frames) {
  const Variables& variables = solution.variables();
  return {{"model", described(problem, file)},
          {"variables", described(variables)},
          {"steps", described(file.steps)},
          {"residuals", described(solution.drift())},
          {"invariants", invariants_along(problem, variables, samples)},
          {"kinetic_energy", kinetic_energy_along(problem, variables, samples)},
          {"scene", scene_along(file.scene, variables, frames)}};
}

static Json whole_run(const Problem& problem, const Solution& solution, const RunFile& file) {
  const Samples samples = sample_steps(solution), frames = sample_frames(solution);
  const MethodChoice& choice = solution.choice();
  Json events = Json::array();
  for (const auto& event : solution.events())
    events.push_back({{"name", event.name}, {"t", number(event.t)}});
  Json document{{"version", 1},
                {"problem", name_of(problem)},
                {"method", choice.method},
                {"formulation", text_or_null(choice.formulation)},
                {"reason", choice.reason},
                {"linear_solver", text_or_null(choice.linear_solver)},
                {"status", to_string(solution.status())},
                {"message", solution.message()},
                {"t", number(solution.end_time())},
                {"y", end_values(solution.end())},
                {"statistics", statistics_object(solution.statistics())},
                {"events", std::move(events)},
                {"warnings", solution.warnings()},
                {"trajectory", described(solution.variables(), samples)}};
  document.update(run_members(problem, solution, file, samples, frames));
  document["command"] = text_or_null(file.command);
  return document;
}

void write_run(std::ostream& out, const Problem& problem, const Solution& solution,
               const RunFile& file) {
  out << json::line(whole_run(problem, solution, file)) << '\n';
}

void write_run(std::ostream& out, const Problem& problem, const Solution& solution,
               const RunFile& file, const Options& options) {
  Json document = whole_run(problem, solution, file);
  document["rtol"] = number(options.rtol);
  const Tolerance& atol = options.atol;
  document["atol"] = atol.scalar() ? number(atol[0]) : Json::array();
  if (!atol.scalar())
    for (const double each : atol.values()) document["atol"].push_back(number(each));
  out << json::line(document) << '\n';
}

}  // namespace daedalus
