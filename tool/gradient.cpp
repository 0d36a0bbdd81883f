// SPDX-License-Identifier: BSD-3-Clause
#include "tool/gradient.hpp"

#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include <daedalus/adjoint.hpp>

#include "tool/json.hpp"
#include "tool/numbers.hpp"
#include "tool/progress.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

GradientWay way_of(const std::string& name) {
  for (const GradientWay way : {GradientWay::automatic, GradientWay::forward, GradientWay::adjoint})
    if (to_string(way) == name) return way;
  throw InvalidArgument(
      fmt::format("--way has '{}'; allowed are automatic, forward and adjoint", name));
}

double shown(const Gradient& g, int functional, int column, bool scaled) {
  const SensitivityColumn& c = g.columns()[static_cast<std::size_t>(column)];
  const double factor = !scaled ? 1.0 : c.value != 0.0 ? c.value : c.typical;
  return factor * g.matrix()(functional, column);
}

Json by_kind(const Gradient& g, int functional, bool scaled, SensitivityColumn::Kind kind) {
  Json all = Json::object();
  for (int j = 0; j < g.matrix().cols(); ++j)
    if (g.columns()[static_cast<std::size_t>(j)].kind == kind)
      all[g.columns()[static_cast<std::size_t>(j)].name] = number(shown(g, functional, j, scaled));
  return all;
}

Json gradient_json(const GradientSettings& settings, const PreparedRun& run, const Gradient& g) {
  using Kind = SensitivityColumn::Kind;
  Json json = document();
  json["problem"] = run.entry.name;
  add_origin(json, run.entry);
  json["status"] = std::string(to_string(g.status()));
  json["message"] = g.message();
  json["parameters"] = Json::array();
  for (const SensitivityColumn& c : g.columns())
    if (c.kind == Kind::parameter) json["parameters"].push_back(c.name);
  json["value"] = number(g.value(g.functionals()[0]));
  json["gradient"] = by_kind(g, 0, settings.scaled, Kind::parameter);
  json["functionals"] = Json::array();
  for (std::size_t i = 0; i < g.functionals().size(); ++i)
    json["functionals"].push_back(
        Json{{"functional", g.functionals()[i]},
             {"value", number(g.value(g.functionals()[i]))},
             {"parameters", by_kind(g, static_cast<int>(i), settings.scaled, Kind::parameter)},
             {"start", by_kind(g, static_cast<int>(i), settings.scaled, Kind::start)}});
  const GradientStatistics& s = g.statistics();
  json["scaled"] = settings.scaled;
  json["way"] = std::string(to_string(g.way()));
  json["why"] = g.why();
  json["statistics"] = Json{{"forward_steps", s.forward_steps},
                            {"backward_steps", s.backward_steps},
                            {"recomputed_steps", s.recomputed_steps},
                            {"linearisations", s.linearisations},
                            {"parameter_products", s.parameter_products},
                            {"memory", s.memory},
                            {"forward_seconds", number(s.forward_seconds)},
                            {"backward_seconds", number(s.backward_seconds)}};
  json["warnings"] = g.warnings();
  return json;
}

void print_gradient(const PreparedRun& run, const Gradient& g, Session& io) {
  const GradientStatistics& s = g.statistics();
  io.out << labelled("problem",
                     fmt::format("{}: {}", io.paint.bold(run.entry.name), run.entry.title));
  io.out << labelled("way", g.way() == GradientWay::adjoint
                                ? fmt::format("adjoint: {} steps forwards, {} backwards",
                                              s.forward_steps, s.backward_steps)
                                : fmt::format("forward columns ({})", g.why()));
  std::vector<std::string> header{"p"};
  std::vector<Align> align{Align::left};
  for (const std::string& name : g.functionals()) {
    io.out << labelled(name, fmt::format("{:.10g}", g.value(name)));
    for (const char* what : {"d/dp", "p d/dp"}) {
      header.push_back(what == std::string("d/dp") ? "d " + name + "/dp" : what);
      align.push_back(Align::right);
    }
  }
  io.out << labelled("table",
                     "p d/dp is the change for a change of p by 100 %; * marks the largest");
  Table table(header, align);
  const auto rows = static_cast<int>(g.columns().size());
  std::vector<double> largest(g.functionals().size(), 0.0);
  for (std::size_t i = 0; i < largest.size(); ++i)
    for (int j = 0; j < rows; ++j)
      largest[i] = std::max(largest[i], std::abs(shown(g, static_cast<int>(i), j, true)));
  for (int j = 0; j < rows; ++j) {
    std::vector<std::string> row{g.columns()[static_cast<std::size_t>(j)].name};
    for (std::size_t i = 0; i < largest.size(); ++i) {
      const double scaled = shown(g, static_cast<int>(i), j, true);
      row.push_back(fmt::format("{:.8g}", shown(g, static_cast<int>(i), j, false)));
      row.push_back(fmt::format("{:.6g}{}", scaled,
                                largest[i] > 0.0 && std::abs(scaled) == largest[i] ? "*" : " "));
    }
    table.add(row);
  }
  io.out << "\n";
  table.print(io.out, "  ");
}

}  // namespace

int gradient_command(const GradientSettings& settings, PreparedRun& run, Session& io) {
  Options& o = run.options;
  AdjointOptions asked;
  asked.parameters = o.sensitivities.parameters;
  asked.start_values = o.sensitivities.start_values;
  asked.way = way_of(settings.way);
  if (!(settings.memory > 0.0))
    throw InvalidArgument(fmt::format("--memory has {}; give MB, more than 0", settings.memory));
  asked.memory = static_cast<std::size_t>(settings.memory * 1048576.0);
  std::vector<Functional> functionals;
  for (const std::string& text : settings.functionals)
    functionals.push_back(parse_functional(text, run.problem, o.sensitivities.family.get()));
  const Gradient g = [&] {
    ProgressBar bar(io.err, io.live, run.interval.from);
    const InterruptGuard guard;
    o.cancel = InterruptGuard::requested;
    o.progress = [&bar](const Progress& progress) { bar.update(progress); };
    return adjoint(run.problem, run.interval, functionals, o, asked);
  }();
  if (settings.json)
    print(io.out, gradient_json(settings, run, g));
  else
    print_gradient(run, g, io);
  for (const std::string& warning : g.warnings()) io.err << "warning: " << warning << '\n';
  if (!g.ok()) io.err << "daedalus: " << to_string(g.status()) << ": " << g.message() << '\n';
  return g.ok() ? exit_success : exit_run_failed;
}

}  // namespace daedalus::cli
