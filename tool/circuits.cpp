// SPDX-License-Identifier: BSD-3-Clause
#include "tool/circuits.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tool/models.hpp"
#include "tool/numbers.hpp"
#include "tool/solve_report.hpp"

namespace daedalus::cli {
namespace {

Json complex_number(std::complex<double> z) {
  return Json{{"re", number(z.real())}, {"im", number(z.imag())}};
}

Json frequency_list(const Circuit& circuit) {
  Json list = Json::array();
  const std::vector<std::string> names = circuit.names();
  for (const SmallSignal& s : circuit.small_signals()) {
    std::vector<Json> values;
    for (const auto& z : s.values) values.push_back(complex_number(z));
    list.push_back(Json{{"f", number(s.f)}, {"y", members(names, std::move(values))}});
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

void print_point(const OperatingPoint& op, Session& io) {
  io.out << fmt::format("operating point by {} in {} iterations\n", op.method, op.iterations);
  for (const auto& [name, value] : op.values)
    io.out << fmt::format("  {:<20} {}\n", name, brief(value));
}

void print_analysis(const std::string& analysis, const Json& json, const OperatingPoint& op,
                    Session& io) {
  if (analysis == "op") return print_point(op, io);
  if (analysis == "pz") {
    io.out << "poles (rad/s)\n";
    for (const Json& z : json["poles"])
      io.out << fmt::format("  {:.10g} {:+.10g} i\n", z["re"].get<double>(), z["im"].get<double>());
    return;
  }
  io.out << fmt::format("{}: {} points; --json gives them all\n", analysis,
                        analysis == "ac" ? json["ac"].size() : json["dc"]["points"].size());
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

int solve_circuit(const std::string& problem, const std::vector<std::string>& analyses, bool json,
                  Session& io) {
  const Circuit& circuit = *load_problem(problem).circuit;
  const OperatingPoint op = circuit.operating_point();
  Json result = empty_solve_document(problem);
  result["kind"] = "netlist";
  result["file"] = problem;
  result["status"] = op.found ? "success" : "no_operating_point";
  result["message"] = op.message;
  result["op"] = operating_point_object(op);
  result["circuit"] = circuit_object(circuit);
  for (const std::string& analysis : analyses) {
    if (!op.found) break;
    if (analysis == "ac") result["ac"] = frequency_list(circuit);
    if (analysis == "dc") result["dc"] = sweep_object(circuit.direct_sweep());
    if (analysis == "pz") {
      result["poles"] = Json::array();
      for (const auto& z : circuit.poles()) result["poles"].push_back(complex_number(z));
    }
    if (!json) print_analysis(analysis, result, op, io);
  }
  if (json) print(io.out, result);
  for (const SourceDiagnostic& w : circuit.warnings()) io.err << text(w) << '\n';
  if (!op.found) io.err << "daedalus: no_operating_point: " << op.message << '\n';
  return op.found ? exit_success : exit_run_failed;
}

}  // namespace daedalus::cli
