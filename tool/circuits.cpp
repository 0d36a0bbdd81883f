// SPDX-License-Identifier: BSD-3-Clause
#include "tool/circuits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <daedalus/raw_file.hpp>

#include "tool/circuit_text.hpp"
#include "tool/models.hpp"
#include "tool/numbers.hpp"
#include "tool/progress.hpp"
#include "tool/session.hpp"
#include "tool/solve_report.hpp"

namespace daedalus::cli {
namespace {

Json complex_number(std::complex<double> z) {
  return Json{{"re", number(z.real())}, {"im", number(z.imag())}};
}

// Magnitude and phase beside the parts; the phase goes on without jumps of a turn.
Json frequency_list(const Circuit& circuit, const std::vector<SmallSignal>& signals) {
  Json list = Json::array();
  const std::vector<std::string> names = circuit.names();
  std::vector<double> phase(names.size(), 0.0);
  for (const SmallSignal& s : signals) {
    std::vector<Json> values;
    for (std::size_t k = 0; k < s.values.size(); ++k) {
      Json z = complex_number(s.values[k]);
      phase[k] = unwrapped(std::arg(s.values[k]) * 180.0 / std::numbers::pi, phase[k]);
      z["magnitude"] = number(std::abs(s.values[k]));
      z["db"] = number(20.0 * std::log10(std::abs(s.values[k])));
      z["phase"] = number(phase[k]);
      values.push_back(std::move(z));
    }
    list.push_back(Json{{"f", number(s.f)}, {"y", members(names, std::move(values))}});
  }
  return list;
}

Json device_list(const Circuit& circuit) {
  Json list = Json::array();
  for (const DeviceValues& d : circuit.devices()) {
    std::vector<std::string> names;
    std::vector<Json> values;
    for (const auto& [name, value] : d.values) {
      names.push_back(name);
      values.push_back(number(value));
    }
    list.push_back(Json{{"name", d.name},
                        {"kind", d.kind},
                        {"region", text_or_null(d.region)},
                        {"values", members(names, std::move(values))}});
  }
  return list;
}

Json sweep_object(const DirectSweep& sweep) {
  Json points = Json::array();
  for (const DirectSweep::Point& p : sweep.points) {
    std::vector<Json> swept, values;
    for (const double x : p.swept) swept.push_back(number(x));
    for (const double x : p.values) values.push_back(number(x));
    points.push_back(Json{{"swept", members(sweep.swept_names, std::move(swept))},
                          {"y", members(sweep.names, std::move(values))}});
  }
  return Json{{"points", points}, {"jumps", sweep.jumps}, {"complete", sweep.complete}};
}

// So many elements can still be told apart in a drawing.
constexpr std::size_t max_drawn = 400;

Json graph_object(const Circuit& circuit) {
  const CircuitGraph graph = circuit.graph();
  if (graph.edges.size() > max_drawn) return nullptr;
  Json edges = Json::array();
  for (const CircuitGraph::Edge& e : graph.edges)
    edges.push_back(Json{{"element", e.element},
                         {"kind", e.kind},
                         {"from", e.from},
                         {"to", e.to},
                         {"marked", e.marked}});
  return Json{{"nodes", graph.nodes}, {"edges", edges}};
}

// One plot per analysis, as viewers know them by name.
RawPlot point_plot(const Circuit& circuit, const OperatingPoint& op) {
  RawPlot plot;
  plot.title = circuit.title();
  plot.name = "Operating Point";
  std::vector<double> row;
  for (const auto& [name, value] : op.values) {
    plot.names.push_back(name);
    row.push_back(value);
  }
  plot.set_rows({row});
  return plot;
}

RawPlot sweep_plot(const Circuit& circuit, const DirectSweep& sweep) {
  RawPlot plot;
  plot.title = circuit.title();
  plot.name = "DC transfer characteristic";
  plot.names = sweep.swept_names;
  plot.kinds.assign(sweep.swept_names.size(), "voltage");
  for (const std::string& name : sweep.names) {
    plot.names.push_back(name);
    plot.kinds.push_back(raw_kind(name));
  }
  std::vector<std::vector<double>> rows;
  for (const DirectSweep::Point& p : sweep.points) {
    rows.push_back(p.swept);
    rows.back().insert(rows.back().end(), p.values.begin(), p.values.end());
  }
  plot.set_rows(std::move(rows));
  return plot;
}

RawPlot frequency_plot(const Circuit& circuit, const std::vector<SmallSignal>& signals) {
  RawPlot plot;
  plot.title = circuit.title();
  plot.name = "AC Analysis";
  plot.complex_values = true;
  plot.names = {"frequency"};
  for (const std::string& name : circuit.names()) plot.names.push_back(name);
  std::vector<std::vector<double>> rows;
  for (const SmallSignal& s : signals) {
    rows.push_back({s.f, 0.0});
    for (const auto& z : s.values) {
      rows.back().push_back(z.real());
      rows.back().push_back(z.imag());
    }
  }
  plot.set_rows(std::move(rows));
  return plot;
}

void check_plots(const std::vector<std::string>& analyses, const std::string& out) {
  if (out.empty()) return;
  if (std::filesystem::path(out).extension() != ".raw")
    throw InvalidArgument("--out has '" + out +
                          "'; analyses other than .tran are written to .raw or .ascii.raw, and all "
                          "of them by --json");
  if (std::all_of(analyses.begin(), analyses.end(), [](const auto& a) { return a == "pz"; }))
    throw InvalidArgument("--out: of .pz there is nothing to plot; --json gives the poles");
}

void write_plots(const Circuit& circuit, const OperatingPoint& op,
                 const std::vector<std::string>& analyses, const StaticResults& results,
                 const std::string& out) {
  std::vector<RawPlot> plots;
  for (const std::string& analysis : analyses) {
    if (analysis == "op") plots.push_back(point_plot(circuit, op));
    if (analysis == "dc") plots.push_back(sweep_plot(circuit, *results.sweep));
    if (analysis == "ac") plots.push_back(frequency_plot(circuit, *results.signals));
  }
  write_raw(out, plots, raw_as_text(out));
}

}  // namespace

Json operating_point_object(const OperatingPoint& op) {
  if (!op.found) return nullptr;
  std::vector<std::string> names;
  std::vector<Json> values;
  for (const auto& [name, value] : op.values) {
    names.push_back(name);
    values.push_back(number(value));
  }
  return members(names, std::move(values));
}

Json circuit_object(const Circuit& circuit) {
  const CircuitIndex& index = circuit.index();
  const OperatingPoint op = circuit.operating_point();
  Json elements = Json::object(), warnings = Json::array();
  for (const auto& [kind, count] : circuit.elements())
    elements[std::string(1, static_cast<char>(kind - 'a' + 'A'))] = count;
  for (const SourceDiagnostic& w : circuit.warnings())
    warnings.push_back(
        Json{{"file", w.file}, {"line", w.line}, {"text", w.message}, {"hint", w.hint}});
  return Json{{"file", circuit.file()},
              {"title", circuit.title()},
              {"elements", elements},
              {"nodes", circuit.nodes()},
              {"index", Json{{"topology", index.topology},
                             {"numerical", index.numerical < 0 ? Json() : Json(index.numerical)},
                             {"cause", index.cause},
                             {"variables", index.variables},
                             {"text", index.text}}},
              {"loops", index.loops},
              {"cutsets", index.cutsets},
              {"operating_point", Json{{"method", text_or_null(op.method)},
                                       {"iterations", op.iterations},
                                       {"message", text_or_null(op.message)},
                                       {"values", operating_point_object(op)}}},
              {"graph", graph_object(circuit)},
              {"printed", circuit.printed()},
              {"breakpoints", circuit.corner_count()},
              {"warnings", warnings}};
}

std::vector<std::string> static_analyses(const std::string& problem, const std::string& asked) {
  constexpr std::array<std::string_view, 5> known{"op", "dc", "tran", "ac", "pz"};
  if (!asked.empty() && std::find(known.begin(), known.end(), asked) == known.end())
    throw InvalidArgument(
        fmt::format("--analysis has '{}'; allowed are {}", asked, fmt::join(known, ", ")));
  if (!names_file(problem)) {
    if (!asked.empty()) throw InvalidArgument("--analysis is for netlists");
    return {};
  }
  const LoadedProblem& file = load_problem(problem);
  if (!file.circuit) {
    if (!asked.empty()) throw InvalidArgument("--analysis is for netlists");
    return {};
  }
  std::vector<std::string> wanted =
      asked.empty() ? file.circuit->analyses() : std::vector<std::string>{asked};
  if (std::find(wanted.begin(), wanted.end(), "tran") != wanted.end()) return {};
  return wanted;
}

void add_measurements(const Circuit& circuit, const Solution& solution, Json& result) {
  if (!circuit.measures()) return;
  std::vector<std::string> names;
  std::vector<Json> values;
  for (const Measured& m : circuit.measure(solution)) {
    names.push_back(m.name);
    values.push_back(number(m.value));
  }
  result["meas"] = members(names, std::move(values));
}

StaticResults static_results(const Circuit& circuit, const std::vector<std::string>& analyses) {
  StaticResults results;
  for (const std::string& analysis : analyses) {
    if (analysis == "ac") results.signals = circuit.small_signals(InterruptGuard::requested);
    if (analysis == "dc") results.sweep = circuit.direct_sweep(InterruptGuard::requested);
    if (analysis == "pz" && !InterruptGuard::requested()) results.poles = circuit.poles();
  }
  return results;
}

void add_static_analyses(const Circuit& circuit, const std::vector<std::string>& analyses,
                         const StaticResults& results, Json& result) {
  if (std::find(analyses.begin(), analyses.end(), "op") != analyses.end())
    result["circuit"]["operating_point"]["devices"] = device_list(circuit);
  if (results.signals) result["ac"] = frequency_list(circuit, *results.signals);
  if (results.sweep) result["dc"] = sweep_object(*results.sweep);
  if (!results.poles) return;
  result["poles"] = Json::array();
  for (const auto& z : *results.poles) result["poles"].push_back(complex_number(z));
}

namespace {

// The JSON of analyses without a run over time.
Json static_document(const std::string& problem, const Circuit& circuit, const OperatingPoint& op,
                     const std::vector<std::string>& analyses, const StaticResults& results) {
  Json result = empty_solve_document(problem);
  result["kind"] = "netlist";
  result["file"] = problem;
  result["status"] = op.found ? "success" : "no_operating_point";
  result["message"] = op.message;
  result["op"] = operating_point_object(op);
  result["circuit"] = circuit_object(circuit);
  if (!op.found) return result;
  add_static_analyses(circuit, analyses, results, result);
  if (InterruptGuard::requested()) {
    result["status"] = std::string(to_string(Status::cancelled));
    result["message"] = "The analyses were cancelled; what was finished before is here.";
  }
  return result;
}

}  // namespace

int solve_circuit(const RunSettings& settings, const std::vector<std::string>& analyses, bool json,
                  const std::string& out, Session& io) {
  check_plots(analyses, out);
  const InterruptGuard guard;
  const auto chosen = chosen_circuit(settings);
  const Circuit& circuit = *chosen;
  const OperatingPoint op = circuit.direct_point();
  StaticResults results;
  if (op.found) {
    results = static_results(circuit, analyses);
    if (!out.empty()) write_plots(circuit, op, analyses, results, out);
  }
  if (json)
    print(io.out, static_document(settings.problem, circuit, op, analyses, results));
  else if (op.found)
    for (const std::string& analysis : analyses) print_analysis(analysis, circuit, results, io);
  for (const SourceDiagnostic& w : circuit.warnings()) io.err << text(w) << '\n';
  if (!op.found) io.err << "daedalus: no_operating_point: " << op.message << '\n';
  if (InterruptGuard::requested()) return say_interrupted(io);
  return op.found ? exit_success : exit_run_failed;
}

}  // namespace daedalus::cli
