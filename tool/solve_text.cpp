// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <ostream>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tool/circuits.hpp"
#include "tool/mechanisms.hpp"
#include "tool/models.hpp"
#include "tool/numbers.hpp"
#include "tool/solve_report.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

// Longer lists of end values are cut in the middle.
constexpr int max_rows = 30, first_rows = 20, last_rows = 5;
// Columns of values that fit on a line.
constexpr std::size_t max_sample_columns = 5;

std::string method_text(const RunReport& report) {
  const MethodChoice& choice = report.solution.choice();
  std::string text = choice.method;
  if (!choice.formulation.empty()) text += ", " + choice.formulation;
  if (!choice.linear_solver.empty()) text += ", " + choice.linear_solver;
  const std::string& reason = report.run.reason(choice.reason);
  return reason.empty() ? text : text + " (" + reason + ")";
}

std::string status_text(const Solution& solution, const Paint& paint) {
  const std::string status(to_string(solution.status()));
  std::string text = solution.ok() ? paint.good(status) : paint.bad(status);
  text += " at t = " + brief(solution.end_time());
  if (solution.status() != Status::success && !solution.message().empty())
    text += ": " + solution.message();
  return text;
}

std::string evaluations_text(const Counts& n) {
  const std::vector<std::pair<const char*, long>> counts{
      {"residual", n.residual_evaluations},
      {"function", n.function_evaluations},
      {"Jacobian", n.jacobian_evaluations},
      {"Jacobian columns", n.jacobian_columns},
      {"mass", n.mass_evaluations},
      {"constraint", n.constraint_evaluations},
      {"constraint Jacobian", n.constraint_jacobian_evaluations},
      {"curvature", n.curvature_evaluations},
      {"factorisations", n.factorisations},
      {"solves", n.solves},
      {"Newton iterations", n.newton_iterations},
      {"Newton failures", n.newton_failures},
      {"Krylov iterations", n.krylov_iterations},
      {"Krylov failures", n.krylov_failures}};
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts)
    if (count > 0) parts.push_back(fmt::format("{} {}", name, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string steps_text(const Statistics& s) {
  std::string text = fmt::format("{} accepted, {} rejected", s.accepted, s.rejected);
  if (s.accepted > 0) text += fmt::format(", h from {:.3g} to {:.3g}", s.h_min, s.h_max);
  if (s.projections > 0) text += fmt::format(", {} projections", s.projections);
  if (s.chart_changes > 0) text += fmt::format(", {} chart changes", s.chart_changes);
  if (s.restarts > 0) text += fmt::format(", {} restarts", s.restarts);
  return text;
}

std::string constraint_text(const Statistics& s) {
  std::vector<std::string> parts;
  if (!std::isnan(s.position_residual))
    parts.push_back(fmt::format("|g| max {:.3g}", s.position_residual));
  if (!std::isnan(s.velocity_residual))
    parts.push_back(fmt::format("|G v + g_t| max {:.3g}", s.velocity_residual));
  if (!std::isnan(s.acceleration_residual))
    parts.push_back(fmt::format("|d^2g/dt^2| max {:.3g}", s.acceleration_residual));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Not what was done already: what is left then is a tighter tolerance.
std::string drift_advice(const RunReport& report) {
  const std::string& formulation = report.solution.choice().formulation;
  const bool stabilised = formulation == "ggl" || formulation.rfind("stabilised", 0) == 0 ||
                          formulation.rfind("overdetermined", 0) == 0 ||
                          formulation == "state-space";
  const bool projected = report.run.options.projection == ProjectionWhen::every_step;
  const bool forbidden = report.run.options.projection == ProjectionWhen::none;
  if (stabilised && projected) return "; tighten --rtol and --atol";
  if (projected) return "; take ggl, or tighten --rtol and --atol";
  const std::string project = forbidden ? "leave out --projection none" : "--projection every-step";
  return stabilised ? "; " + project : "; project (" + project + "), or take ggl";
}

// Empty when drift was not watched, or there is nothing that could drift.
std::string drift_text(const RunReport& report) {
  const Solution& solution = report.solution;
  if (solution.drift().empty()) return {};
  const Statistics& s = solution.statistics();
  std::vector<std::string> parts;
  const auto grows = [&](const char* name, double exponent) {
    if (!std::isnan(exponent))
      parts.push_back(fmt::format("{} grows like t^{:.1f}", name, exponent));
  };
  grows("|g|", s.position_growth);
  grows("|G v + g_t|", s.velocity_growth);
  grows("|d^2g/dt^2|", s.acceleration_growth);
  if (parts.empty()) return "no growth of the constraint residuals";
  return fmt::format("{}{}", fmt::join(parts, ", "), drift_advice(report));
}

std::string error_text(const RunReport& report) {
  if (!report.error) return "no reference for this end time and these parameters";
  const RunError& e = *report.error;
  std::vector<std::string> classes;
  for (const auto& [name, value] : e.per_class)
    classes.push_back(fmt::format("{} {:.2g}", name, value));
  // Not a number means that there is no such number, not that something went wrong.
  const std::string relative = std::isnan(e.relative)
                                   ? "relative and scd not defined (all references are zero)"
                                   : fmt::format("relative {:.3g}, scd {:.2f}", e.relative, e.scd);
  const std::string mixed = report.run.options.rtol == 0.0
                                ? std::string("mescd not defined (rtol is 0)")
                                : fmt::format("mescd {:.2f}", e.mescd);
  // A model file need not say how good its reference is, and whence it comes.
  std::vector<std::string> about;
  if (report.target->digits > 0) about.push_back(fmt::format("{} digits", report.target->digits));
  if (!report.target->source.empty()) about.push_back(report.target->source);
  return fmt::format("{}, {}; per class {}{}{}", relative, mixed, fmt::join(classes, ", "),
                     about.empty() ? "" : "; reference: ", fmt::join(about, ", "));
}

// Below the variables: what the model shows besides them.
void add_outputs(const RunReport& report, const ModelState& end, Table& table) {
  const problems::Entry& entry = report.run.entry;
  if (report.run.circuit || mechanism_of(report.run)) return;  // in tables of their own
  const std::vector<double> values = output_values(report.run, end);
  const std::set<std::string> hidden = hidden_names(entry);
  int shown = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (hidden.count(entry.outputs[k].name)) continue;
    if (++shown > max_rows) break;
    table.add({entry.outputs[k].name, entry.outputs[k].eliminated ? "equal" : "output",
               fmt::format("{:.12g}", values[k])});
  }
  if (shown > max_rows) table.add({"... more with --json"});
}

void print_end_values(const RunReport& report, Session& io) {
  const ModelState end = report.solution.end();
  const Variables& variables = end.variables();
  io.out << "\nend values\n";
  std::vector<std::string> header{"variable", "class", "value"};
  if (report.target) header.insert(header.end(), {"reference", "difference"});
  Table table(header, {Align::left, Align::left, Align::right, Align::right, Align::right});
  const int size = variables.size();
  const std::set<std::string> hidden = hidden_names(report.run.entry);
  for (int i = 0; i < size; ++i) {
    if (size > max_rows && i == first_rows) {
      i = size - last_rows;
      table.add({fmt::format("... {} more", size - first_rows - last_rows)});
    }
    if (hidden.count(variables.names[static_cast<std::size_t>(i)])) continue;
    const std::string& name = variables.names[static_cast<std::size_t>(i)];
    std::vector<std::string> row{name, class_of(variables, i), fmt::format("{:.12g}", end.y()[i])};
    if (report.target)
      for (const auto& [known, value] : report.target->values)
        if (known == name) {
          row.push_back(fmt::format("{:.12g}", value));
          row.push_back(fmt::format("{:.1e}", end.y()[i] - value));
        }
    table.add(row);
  }
  add_outputs(report, end, table);
  table.print(io.out, "  ");
  if (size > max_rows) io.out << "  (all of them with --json or --out)\n";
}

// Variables below each other, the times asked for beside each other.
void print_samples(const RunReport& report, Session& io) {
  std::vector<std::string> header{"variable"};
  std::vector<ModelState> states;
  for (const double t : report.samples) {
    const double end = report.solution.end_time();
    const bool forward = report.run.interval.to >= report.run.interval.from;
    if (states.size() == max_sample_columns || (forward ? t > end : t < end)) break;
    header.push_back("t = " + brief(t));
    states.push_back(t == end ? report.solution.end() : report.solution.at(t));
  }
  io.out << "\nvalues at the times asked for\n";
  Table table(header, std::vector<Align>(header.size(), Align::right));
  const Variables& variables = report.solution.variables();
  for (int i = 0; i < std::min(variables.size(), max_rows); ++i) {
    std::vector<std::string> row{variables.names[static_cast<std::size_t>(i)]};
    for (const ModelState& state : states) row.push_back(fmt::format("{:.12g}", state.all()[i]));
    table.add(row);
  }
  table.print(io.out, "  ");
  if (variables.size() > max_rows || states.size() < report.samples.size())
    io.out << "  (all of them with --json)\n";
}

// A switching circuit has thousands: the first and the last ones tell what goes on.
void print_events(std::span<const EventRecord> events, Session& io) {
  constexpr std::size_t max_listed = 12;
  const std::size_t omitted = events.size() > max_listed ? events.size() - max_listed : 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (omitted > 0 && i == max_listed / 2) {
      io.out << labelled("", fmt::format("... {} more; --json lists all ...", omitted));
      i += omitted;
    }
    io.out << labelled("event", fmt::format("{} at t = {}", events[i].name, brief(events[i].t)));
  }
}

}  // namespace

void print_text(const RunReport& report, Session& io) {
  const Solution& solution = report.solution;
  const Statistics& s = solution.statistics();
  const problems::Entry& entry = report.run.entry;
  io.out << labelled("problem", fmt::format("{}: {} ({}, index {})", io.paint.bold(entry.name),
                                            entry.title, entry.form, entry.index));
  if (report.run.circuit) {
    const OperatingPoint start = report.run.circuit->operating_point();
    io.out << labelled("circuit", report.run.circuit->index().text)
           << labelled("start", fmt::format("operating point by {} in {} iterations", start.method,
                                            start.iterations));
  }
  io.out << labelled("method", method_text(report))
         << labelled("status", status_text(solution, io.paint)) << labelled("steps", steps_text(s))
         << labelled("evaluations", evaluations_text(s.total()));
  const std::string constraints = constraint_text(s);
  if (!constraints.empty()) io.out << labelled("constraints", constraints);
  const std::string drift = drift_text(report);
  if (!drift.empty()) io.out << labelled("drift", drift);
  if (solution.ok()) io.out << labelled("error", error_text(report));
  print_events(solution.events(), io);
  io.out << labelled("time", brief_time(s.seconds));
  print_end_values(report, io);
  if (const auto m = mechanism_of(report.run)) print_joints(*m, solution.end(), io.out);
  if (!report.samples.empty()) print_samples(report, io);
  if (report.run.circuit) print_circuit(*report.run.circuit, solution, io);
}

}  // namespace daedalus::cli
