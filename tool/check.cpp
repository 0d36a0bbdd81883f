// SPDX-License-Identifier: BSD-3-Clause
// daedalus check PROBLEM [--along N]
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/analysis.hpp>
#include <daedalus/solve.hpp>

#include "tool/circuits.hpp"
#include "tool/json.hpp"
#include "tool/mechanisms.hpp"
#include "tool/models.hpp"
#include "tool/numbers.hpp"
#include "tool/progress.hpp"
#include "tool/session.hpp"
#include "tool/settings.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

constexpr std::size_t worst_shown = 8;  // rows of a table that stays on one screen
// Central differences agree with exact derivatives to about 1e-8; this leaves room for bad scaling.
constexpr double jacobian_tolerance = 1e-5;

Json known(int value) { return value >= 0 ? Json(value) : Json(nullptr); }
Json positive(double value) { return value > 0.0 ? number(value) : Json(nullptr); }
std::string known_text(int value) { return value >= 0 ? std::to_string(value) : "not computed"; }

Json describe_along(const IndexAlong& along) {
  Json json;
  json["points"] = Json::array();
  for (const IndexAlong::Point& p : along.points)
    json["points"].push_back(Json{{"t", number(p.t)},
                                  {"index", known(p.index)},
                                  {"degrees_of_freedom", known(p.degrees_of_freedom)},
                                  {"gap", positive(p.gap)}});
  json["changes"] = along.changes;
  json["reached"] = number(along.reached);
  json["ended"] = text_or_null(along.ended);
  return json;
}

// One line where nothing changes; otherwise the points, and what changes where.
void print_along(const IndexAlong& along, Session& io) {
  const IndexAlong::Point& first = along.points.front();
  if (along.changes.empty()) {
    io.out << labelled("along", fmt::format("index {} at {} points of the solution, t = {:.6g} to "
                                            "{:.6g}",
                                            known_text(first.index), along.points.size(), first.t,
                                            along.points.back().t));
  } else {
    for (const IndexAlong::Point& p : along.points)
      io.out << labelled("along",
                         fmt::format("t = {:.6g}: index {}, {} degrees of freedom", p.t,
                                     known_text(p.index), known_text(p.degrees_of_freedom)));
    for (const std::string& change : along.changes) io.out << labelled("change", change);
  }
  if (!along.ended.empty())
    io.out << labelled("ended", fmt::format("at t = {:.6g}: {}", along.reached, along.ended));
}

// Of models as data: counts, and the equations that have to be differentiated.
void add_structure(Json& json, const problems::Entry& entry) {
  const LoadedProblem* from = loaded_from_file(entry);
  json["equations"] = json["unknowns"] = json["index"]["cause"] = nullptr;
  if (!from || !from->model) return;
  const StructureReport& s = from->model->structure();
  json["equations"] = s.equations;
  json["unknowns"] = s.variables;
  json["index"]["cause"] = Json::array();
  for (const auto& hidden : s.hidden) json["index"]["cause"].push_back(hidden.equation);
}

Json describe_check(const Check& check, const problems::Entry& entry) {
  Json json = document();
  json["problem"] = entry.name;
  add_origin(json, entry);
  json["index"] = Json{{"structural", known(check.structural_index)},
                       {"numerical", known(check.numerical_index)},
                       {"gap", positive(check.gap)}};
  add_structure(json, entry);
  json["why"] = check.why;
  json["redundant"] = check.redundant;
  json["advice"] = check.advice;
  json["degrees_of_freedom"] = known(check.degrees_of_freedom);
  json["consistent"] = check.consistent;
  json["residuals"] = Json::array();
  for (const Check::Residual& r : check.residuals)
    json["residuals"].push_back(Json{{"equation", r.equation}, {"value", number(r.value)}});
  json["jacobian"] = Json{{"max_error", number(check.jacobian_error)},
                          {"worst_entry", text_or_null(check.worst_entry)}};
  json["stiffness"] = positive(check.stiffness);
  json["warnings"] = check.warnings;
  return json;
}

// Mechanisms: rows by joint, counts of freedom, dead positions on the way.
void add_mechanism(Json& json, const NamedMechanism& m, const PreparedRun& run) {
  const AssemblyReport& report = m.assembled.report;
  const MultibodyProblem& p = m.assembled.problem;
  const int unknowns = p.space.tangents() + p.velocities() + p.multipliers();
  json["equations"] = json["unknowns"] = unknowns;
  json["redundant"] = redundant_rows(report);
  json["mechanism"] = assembly_object(report);
  json["dead_positions"] = ahead_object(look_ahead(m, run));
}
std::string counted(int count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}
void print_mechanism(const NamedMechanism& m, const PreparedRun& run, Session& io) {
  const AssemblyReport& report = m.assembled.report;
  io.out << labelled(
      "mechanism",
      fmt::format("{}, {}, {}, {} of them redundant", counted(report.bodies, "body", "bodies"),
                  counted(report.joints, "joint", "joints"), counted(report.rows, "row", "rows"),
                  report.redundant.size()));
  io.out << labelled("counting",
                     fmt::format("{} by Gruebler's count, {} by rank",
                                 counted(report.grubler, "degree of freedom", "degrees of freedom"),
                                 report.degrees_of_freedom));
  const Ahead ahead = look_ahead(m, run);
  for (const DeadPosition& p : ahead.positions) io.out << labelled("ahead", p.text());
  if (ahead.positions.empty())
    io.out << labelled("ahead", fmt::format("no dead position up to t = {:.6g}", ahead.reached));
  if (!ahead.ended.empty()) io.out << labelled("ended", ahead.ended);
}

void print_check(const Check& check, const PreparedRun& run, const std::optional<IndexAlong>& along,
                 Session& io) {
  std::ostream& out = io.out;
  out << labelled("problem",
                  fmt::format("{}: {} ({}, declared index {})", io.paint.bold(run.entry.name),
                              run.entry.title, run.entry.form, run.entry.index));
  std::string index = fmt::format("structural {}, numerical {}", known_text(check.structural_index),
                                  known_text(check.numerical_index));
  if (check.gap > 0.0) index += fmt::format(" (gap of the rank decision {:.2g})", check.gap);
  out << labelled("index", index);
  for (const std::string& reason : check.why) out << labelled("", reason);
  for (const std::string& note : run.entry.notes) out << labelled("model", note);
  if (run.circuit)
    for (const SourceDiagnostic& w : run.circuit->warnings()) out << labelled("netlist", text(w));
  out << labelled("freedom", check.degrees_of_freedom >= 0
                                 ? fmt::format("{} degree{} of freedom", check.degrees_of_freedom,
                                               check.degrees_of_freedom == 1 ? "" : "s")
                                 : std::string("not computed"));
  if (along) print_along(*along, io);
  out << labelled("start",
                  check.consistent ? io.paint.good("consistent") : io.paint.bad("not consistent"));
  const bool wrong = check.jacobian_error > jacobian_tolerance;
  std::string jacobian =
      std::isnan(check.jacobian_error)
          ? "not compared with differences"
          : fmt::format("largest error against differences {:.2g}", check.jacobian_error);
  if (!check.worst_entry.empty()) jacobian += " in " + check.worst_entry;
  out << labelled("derivatives", wrong ? io.paint.bad("wrong") + ": " + jacobian : jacobian);
  if (check.stiffness > 0.0)
    out << labelled("stiffness", fmt::format("ratio of eigenvalues about {:.1e}", check.stiffness));
  for (const std::string& equations : check.redundant) out << labelled("redundant", equations);
  for (const std::string& advice : check.advice) out << labelled("scaling", advice);
  for (const std::string& warning : check.warnings) out << labelled("warning", warning);
  if (check.residuals.empty()) return;
  out << "\nlargest residuals at the start values\n";
  Table table({"equation", "residual"}, {Align::left, Align::right});
  for (std::size_t i = 0; i < std::min(worst_shown, check.residuals.size()); ++i)
    table.add({check.residuals[i].equation, fmt::format("{:.3e}", check.residuals[i].value)});
  table.print(out, "  ");
  if (check.residuals.size() > worst_shown)
    out << fmt::format("  ({} more with --json)\n", check.residuals.size() - worst_shown);
}

// Above it matrices of the whole circuit as tables of numbers take too much memory: what is known
// from its graph and its operating point remains.
constexpr std::size_t max_dense_circuit = 2000;

int check_large_circuit(const PreparedRun& run, bool as_json, Session& io) {
  const Circuit& circuit = *run.circuit;
  if (as_json) {
    Check unknown;
    unknown.structural_index = unknown.numerical_index = unknown.degrees_of_freedom = -1;
    unknown.consistent = circuit.operating_point().found;
    Json json = describe_check(unknown, run.entry);
    json["circuit"] = circuit_object(circuit);
    print(io.out, json);
    return exit_success;
  }
  io.out << labelled("problem", fmt::format("{}: {} ({}, {} nodes)", io.paint.bold(run.entry.name),
                                            run.entry.title, run.entry.form, circuit.nodes()))
         << labelled("index", circuit.index().text);
  const OperatingPoint op = circuit.operating_point();
  io.out << labelled("start", op.found ? fmt::format("operating point by {} in {} iterations",
                                                     op.method, op.iterations)
                                       : op.message);
  for (const SourceDiagnostic& w : circuit.warnings()) io.out << labelled("netlist", text(w));
  io.out << labelled(
      "left out",
      fmt::format("ranks and derivatives: they are checked up to {} unknowns", max_dense_circuit));
  return exit_success;
}

struct CheckSettings {
  RunSettings run;
  int along = 0;
  bool json = false;
};

int check_command(const CheckSettings& settings, Session& io) {
  const PreparedRun run = prepare(settings.run);
  if (run.circuit && run.circuit->names().size() > max_dense_circuit)
    return check_large_circuit(run, settings.json, io);
  Check result = check(run.problem, run.interval.from, run.options);
  const auto mechanism = mechanism_of(run);
  if (mechanism) result.degrees_of_freedom = mechanism->assembled.report.degrees_of_freedom;
  std::optional<IndexAlong> along;
  if (settings.along > 0)
    along =
        index_along(run.problem, run.interval.from, run.interval.to, run.options, settings.along);
  if (settings.json) {
    Json json = describe_check(result, run.entry);
    if (run.circuit) json["circuit"] = circuit_object(*run.circuit);
    if (along) json["along"] = describe_along(*along);
    if (mechanism) add_mechanism(json, *mechanism, run);
    mark_interrupted(json);
    print(io.out, json);
  } else {
    print_check(result, run, along, io);
    if (mechanism) print_mechanism(*mechanism, run, io);
  }
  return InterruptGuard::requested() ? say_interrupted(io) : exit_success;
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
  const auto settings = std::make_shared<CheckSettings>();
  CLI::App* command = app.add_subcommand(
      "check", "Check a problem: index, consistency of its start values, derivatives");
  add_problem_options(*command, settings->run);
  add_interval_options(*command, settings->run);
  add_tolerance_options(*command, settings->run);
  add_whole(*command, "--along", settings->along,
            "Look at the index at so many further points of a solution to --t-end, and say "
            "where it changes; it is computed with --rtol 1e-4 or looser and at most 2000 "
            "steps",
            1, 1000);
  command->add_flag("--json", settings->json, "Print JSON");
  command->callback([settings, &session] {
    session.action = [settings, &session] { return check_command(*settings, session); };
  });
}

}  // namespace daedalus::cli
