// SPDX-License-Identifier: BSD-3-Clause
#include "tool/run_document.hpp"

#include <algorithm>

#include "io/run_file.hpp"
#include "tool/report_page.hpp"

namespace daedalus::cli {
namespace {

// Numbers of an animation that keep a page below some ten megabytes.
constexpr std::size_t max_motion = 600000;
constexpr std::size_t max_frames = 2000, min_frames = 100;

std::size_t frame_count(const Scene& scene) {
  std::size_t each = 1;
  for (const Body& body : scene.bodies) each += static_cast<std::size_t>(body.motion_count);
  return std::clamp(max_motion / each, min_frames, max_frames);
}

}  // namespace

Json run_document(const RunReport& report, const StepTable& steps, const std::string& command,
                  const Trajectory& trajectory) {
  const PreparedRun& run = report.run;
  RunFile file{.title = run.entry.title,
               .source = run.entry.source,
               .equations = run.entry.equations,
               .steps = steps};
  if (run.entry.scene) file.scene = run.entry.scene(run.parameters.all);
  const Samples frames = file.scene.bodies.empty()
                             ? Samples{}
                             : sample_frames(report.solution, frame_count(file.scene));
  Json json = solve_document(report);
  json["command"] = text_or_null(command);
  json["interval"] = Json{number(run.interval.from), number(run.interval.to)};
  json["parameters"] = Json::object();
  for (const Parameter& parameter : run.entry.parameters) {
    const auto chosen = run.parameters.all.find(parameter.name);
    json["parameters"][parameter.name] =
        number(chosen == run.parameters.all.end() ? parameter.value : chosen->second);
  }
  json["units"] = Json::object();
  for (const auto& [name, unit] : run.entry.units)
    if (!unit.empty()) json["units"][name] = unit;
  if (report.target) {
    json["reference"] = Json::object();
    for (const auto& [name, value] : report.target->values) json["reference"][name] = number(value);
  }
  json.update(
      run_members(run.problem, report.solution, file, Samples{trajectory.t, trajectory.y}, frames));
  return json;
}

Trajectory reported_states(const Solution& solution) {
  Samples samples = sample_steps(solution, 0);
  return {solution.variables().names, std::move(samples.t), std::move(samples.y)};
}

Trajectory report_trajectory(const Solution& solution) {
  Samples samples = sample_steps(solution);
  return {solution.variables().names, std::move(samples.t), std::move(samples.y)};
}

}  // namespace daedalus::cli
