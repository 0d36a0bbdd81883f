// SPDX-License-Identifier: BSD-3-Clause
#include "tool/mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include <daedalus/mechanism/run.hpp>
#include <daedalus/solve.hpp>

#include "tool/models.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

Json vector(const Eigen::Vector3d& v) { return Json{number(v[0]), number(v[1]), number(v[2])}; }

Json complex_vector(const Eigen::Vector3cd& v) {
  Json list = Json::array();
  for (int k = 0; k < 3; ++k) list.push_back(Json{number(v[k].real()), number(v[k].imag())});
  return list;
}

Json counts(const AssemblyReport& report) {
  return Json{{"bodies", report.bodies},
              {"joints", report.joints},
              {"rows", report.rows},
              {"redundant", redundant_rows(report)},
              {"degrees_of_freedom", report.degrees_of_freedom}};
}

}  // namespace

std::shared_ptr<const NamedMechanism> mechanism_of(const PreparedRun& run) {
  const LoadedProblem* file = loaded_from_file(run.entry);
  return file && file->mechanism ? file->mechanism(run.parameters.all) : nullptr;
}

std::vector<std::string> mechanism_warnings(const PreparedRun& run, const NamedMechanism& m) {
  std::vector<std::string> all = run.entry.notes;
  for (std::string& text : all)
    while (text.ends_with('\n')) text.pop_back();
  const AssemblyReport& report = m.assembled.report;
  for (const auto& list : {report.warnings, report.notes})
    for (const std::string& text : list)
      if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  for (std::string& text : run_warnings(m.assembled, run.interval.to))
    all.push_back(std::move(text));
  return all;
}

Json redundant_rows(const AssemblyReport& report) {
  Json list = Json::array();
  for (const RedundantRow& r : report.redundant)
    list.push_back(Json{{"joint", r.joint}, {"row", r.row}});
  return list;
}

Json mechanism_object(const NamedMechanism& m, const StateView& state) {
  const Assembled& a = m.assembled;
  Json json = counts(a.report);
  json["joint_coordinates"] = Json::object();
  json["reactions"] = Json::object();
  json["drive_efforts"] = Json::object();
  const std::vector<Wrench> reactions = a.reactions(state);
  for (const std::string& name : m.joint_order) {
    const JointId joint = m.joints.at(name);
    if (a.has_coordinate(joint))
      json["joint_coordinates"][name] = number(a.coordinate(state, joint));
    const Wrench& w = reactions[static_cast<std::size_t>(joint.number)];
    json["reactions"][name] =
        w.known ? Json{{"force", vector(w.force)}, {"moment", vector(w.moment)}} : Json(nullptr);
    if (w.known && w.shared) json["reactions"][name]["shared"] = true;
  }
  for (const auto& [name, drive] : m.drives)
    json["drive_efforts"][name] = number(a.effort(state, drive));
  const Energies e = a.energies(state);
  json["energies"] = Json{{"kinetic", number(e.kinetic)}, {"potential", number(e.potential)}};
  return json;
}

void print_joints(const NamedMechanism& m, const StateView& state, std::ostream& out) {
  constexpr std::size_t most = 20;
  const Assembled& a = m.assembled;
  const std::vector<Wrench> reactions = a.reactions(state);
  Table table({"joint", "coordinate", "rate", "force, N", "moment, N m"},
              {Align::left, Align::right, Align::right, Align::right, Align::right});
  for (std::size_t k = 0; k < std::min(most, m.joint_order.size()); ++k) {
    const JointId joint = m.joints.at(m.joint_order[k]);
    const Wrench& w = reactions[static_cast<std::size_t>(joint.number)];
    const bool moves = a.has_coordinate(joint);
    table.add({m.joint_order[k], moves ? fmt::format("{:.9g}", a.coordinate(state, joint)) : "",
               moves ? fmt::format("{:.6g}", a.rate(state, joint)) : "",
               w.known ? fmt::format("{:.6g}", w.force.norm()) : "shared",
               w.known ? fmt::format("{:.6g}", w.moment.norm()) : "shared"});
  }
  out << "\njoints at the end\n";
  table.print(out, "  ");
  if (m.joint_order.size() > most) out << "  (all of them with --json)\n";
  for (const auto& [name, drive] : m.drives)
    out << labelled("drive", fmt::format("{}: {:.9g}", name, a.effort(state, drive)));
  const Energies e = a.energies(state);
  out << labelled("energy",
                  fmt::format("kinetic {:.9g} J, potential {:.9g} J", e.kinetic, e.potential));
}

Json assembly_object(const AssemblyReport& report) {
  Json json = counts(report);
  json["nonholonomic_rows"] = report.nonholonomic_rows;
  json["grubler"] = report.grubler;
  json["loops"] = Json::array();
  for (const RedundantLoop& loop : report.loops) json["loops"].push_back(loop.joints);
  json["iterations"] = report.iterations;
  json["residual"] = number(report.residual);
  json["length"] = number(report.length);
  json["smallest_pivot"] = number(report.smallest_pivot);
  json["singular_start"] = report.singular_start;
  json["warnings"] = report.warnings;
  json["notes"] = report.notes;
  return json;
}

std::string dead_end(const NamedMechanism& m, const Solution& solution) {
  if (solution.ok() || solution.times().empty()) return {};
  const double start = m.assembled.hold(solution.start()).pivot;
  // The last good point lies before the dead position, by as much as steps became small.
  constexpr double near = 1e-2;
  const Hold end = m.assembled.hold(solution.end());
  if (!(end.pivot < near * start)) return {};
  return DeadPosition{solution.end_time(), end.pivot / start, end.joints}.text();
}

Ahead look_ahead(const NamedMechanism& m, const PreparedRun& run) {
  Options options = run.options;
  constexpr double loose = 1e-6;
  options.rtol = std::max(options.rtol, loose);
  if (options.atol.scalar()) options.atol = std::max(options.atol[0], loose);
  options.max_steps = 2000;
  options.output = Output::dense;
  options.trace = {};
  const Solution s = solve(run.problem, run.interval, options);
  Ahead ahead{m.assembled.dead_positions(s), s.end_time(), s.ok() ? "" : s.message()};
  if (const std::string why = dead_end(m, s); !why.empty() && ahead.positions.empty()) {
    const Hold end = m.assembled.hold(s.end());
    const double start = m.assembled.hold(s.start()).pivot;
    ahead.positions.push_back({s.end_time(), end.pivot / start, end.joints});
  }
  return ahead;
}

Json ahead_object(const Ahead& ahead) {
  Json json{{"positions", Json::array()},
            {"reached", number(ahead.reached)},
            {"ended", text_or_null(ahead.ended)}};
  for (const DeadPosition& p : ahead.positions)
    json["positions"].push_back(
        Json{{"t", number(p.t)}, {"pivot", number(p.pivot)}, {"joints", p.joints}});
  return json;
}

Json modes_array(const NamedMechanism& m, const Eigenvalues& at) {
  Json list = Json::array();
  for (const Mode& mode : m.assembled.modes(at)) {
    Json bodies = Json::object();
    for (std::size_t k = 0; k < m.body_order.size(); ++k)
      bodies[m.body_order[k]] = Json{{"x", complex_vector(mode.bodies[k].x)},
                                     {"rotation", complex_vector(mode.bodies[k].rotation)}};
    list.push_back(Json{{"re", number(mode.value.real())},
                        {"im", number(mode.value.imag())},
                        {"frequency_hz", number(mode.frequency_hz)},
                        {"damping_ratio", number(mode.damping_ratio)},
                        {"bodies", std::move(bodies)}});
  }
  return list;
}

}  // namespace daedalus::cli
