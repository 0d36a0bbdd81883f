// SPDX-License-Identifier: BSD-3-Clause
#include "tool/circuit_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <ostream>

#include <fmt/format.h>

#include "tool/circuits.hpp"
#include "tool/numbers.hpp"
#include "tool/table.hpp"

namespace daedalus::cli {
namespace {

constexpr std::size_t max_columns = 6;  // of a table that fits on a line
constexpr std::size_t max_points = 60;  // of a table; longer ones are for --json and --out

void print_devices(const Circuit& circuit, Session& io) {
  const std::vector<DeviceValues> devices = circuit.devices();
  if (devices.empty()) return;
  io.out << "devices\n";
  double heat = 0.0;
  for (const DeviceValues& d : devices) {
    std::string line = fmt::format("  {:<10} {:<5} {:<11}", d.name, d.kind, d.region);
    for (const auto& [name, value] : d.values) {
      line += fmt::format(" {} {}", name, brief(value));
      if (name == "p" && value > 0.0) heat += value;
    }
    io.out << line << '\n';
  }
  io.out << fmt::format("  power taken up: {} W\n", brief(heat));
}

void print_point(const Circuit& circuit, Session& io) {
  const OperatingPoint op = circuit.direct_point();
  io.out << fmt::format("operating point by {} in {} iterations\n", op.method, op.iterations);
  Table table({"variable", "value"}, {Align::left, Align::right});
  for (const auto& [name, value] : op.values) table.add({name, fmt::format("{:.10g}", value)});
  table.print(io.out, "  ");
  print_devices(circuit, io);
}

void print_poles(const std::vector<std::complex<double>>& poles, Session& io) {
  io.out << "poles\n";
  Table table({"rad/s", "", "Hz", "damping"},
              {Align::right, Align::right, Align::right, Align::right});
  int unstable = 0, marginal = 0;
  for (const std::complex<double>& z : poles) {
    const double size = std::abs(z);
    table.add({fmt::format("{:.10g}", z.real()), fmt::format("{:+.10g} i", z.imag()),
               fmt::format("{:.6g}", size / (2.0 * std::numbers::pi)),
               size > 0.0 ? fmt::format("{:.4g}", -z.real() / size) : std::string("-")});
    if (z.real() > 1e-9 * size)
      ++unstable;
    else if (std::fabs(z.real()) <= 1e-9 * size)
      ++marginal;
  }
  table.print(io.out, "  ");
  if (unstable > 0)
    io.out << fmt::format(
        "  unstable at the operating point: {} pole{} with a positive real part\n", unstable,
        unstable == 1 ? "" : "s");
  else if (marginal > 0)
    io.out << "  at the limit of stability: a pole has no damping\n";
  else
    io.out << "  stable at the operating point: all poles have negative real parts\n";
}

// Columns that .print selects and that exist; all where it selects none.
std::vector<std::size_t> columns(const Circuit& circuit, const std::vector<std::string>& names) {
  std::vector<std::size_t> list;
  for (std::string wanted : circuit.printed()) {
    if (wanted.size() > 3 && wanted[0] == 'v' && wanted[1] != '(')
      wanted = "v" + wanted.substr(wanted.find('('));
    const auto found = std::find(names.begin(), names.end(), wanted);
    const auto k = static_cast<std::size_t>(found - names.begin());
    if (found != names.end() && std::find(list.begin(), list.end(), k) == list.end())
      list.push_back(k);
  }
  for (std::size_t k = 0;
       list.size() < max_columns && circuit.printed().empty() && k < names.size(); ++k)
    list.push_back(k);
  return list;
}

void print_frequencies(const Circuit& circuit, const std::vector<SmallSignal>& signals,
                       Session& io) {
  const std::vector<std::string> names = circuit.names();
  io.out << fmt::format("small signals: {} frequencies\n", signals.size());
  if (signals.size() > max_points) {
    io.out << "  (values with --json or --out run.raw)\n";
    return;
  }
  const std::vector<std::size_t> shown = columns(circuit, names);
  std::vector<std::string> header{"Hz"};
  for (const std::size_t k : shown) {
    header.push_back("dB " + names[k]);
    header.push_back("degrees");
  }
  Table table(header, std::vector<Align>(header.size(), Align::right));
  std::vector<double> phase(names.size(), 0.0);
  for (const SmallSignal& s : signals) {
    std::vector<std::string> row{fmt::format("{:.6g}", s.f)};
    for (const std::size_t k : shown) {
      phase[k] = unwrapped(std::arg(s.values[k]) * 180.0 / std::numbers::pi, phase[k]);
      row.push_back(fmt::format("{:.5g}", 20.0 * std::log10(std::abs(s.values[k]))));
      row.push_back(fmt::format("{:.2f}", phase[k]));
    }
    table.add(row);
  }
  table.print(io.out, "  ");
}

void print_sweep(const Circuit& circuit, const DirectSweep& sweep, Session& io) {
  io.out << fmt::format("direct sweep: {} points\n", sweep.points.size());
  if (sweep.points.size() <= max_points) {
    const std::vector<std::size_t> shown = columns(circuit, sweep.names);
    std::vector<std::string> header = sweep.swept_names;
    for (const std::size_t k : shown) header.push_back(sweep.names[k]);
    Table table(header, std::vector<Align>(header.size(), Align::right));
    for (const DirectSweep::Point& p : sweep.points) {
      std::vector<std::string> row;
      for (const double x : p.swept) row.push_back(fmt::format("{:.6g}", x));
      for (const std::size_t k : shown) row.push_back(fmt::format("{:.8g}", p.values[k]));
      table.add(row);
    }
    table.print(io.out, "  ");
  } else {
    io.out << "  (values with --json or --out run.raw)\n";
  }
  for (const std::string& jump : sweep.jumps) io.out << "  " << jump << '\n';
  if (!sweep.complete) io.out << "  incomplete: " << sweep.message << '\n';
}

// Differences and powers of .print at the end of the run; unknowns stand among the end values.
void print_signals(const Circuit& circuit, const Solution& solution, Session& io) {
  const Entry entry = circuit.entry();
  if (entry.outputs.empty() || !entry.evaluate_outputs) return;
  Eigen::VectorXd values(static_cast<Eigen::Index>(entry.outputs.size()));
  const ModelState end = solution.end();
  entry.evaluate_outputs({}, end.view(), Out(values.data(), values.size()));
  Table table({"printed", "value"}, {Align::left, Align::right});
  for (std::size_t k = 0; k < entry.outputs.size(); ++k)
    table.add(
        {entry.outputs[k].name,
         fmt::format("{:.12g} {}", values[static_cast<Eigen::Index>(k)], entry.outputs[k].unit)});
  io.out << '\n';
  table.print(io.out, "  ");
}

void print_measurements(const Circuit& circuit, const Solution& solution, Session& io) {
  if (!circuit.measures() || !solution.ok()) return;
  Table table({"measured", "value"}, {Align::left, Align::left});
  for (const Measured& m : circuit.measure(solution))
    table.add({m.name, m.problem.empty() ? fmt::format("{:.12g}", m.value) : "none: " + m.problem});
  io.out << '\n';
  table.print(io.out, "  ");
}

}  // namespace

double unwrapped(double angle, double before) {
  return angle + 360.0 * std::round((before - angle) / 360.0);
}

void print_analysis(const std::string& analysis, const Circuit& circuit,
                    const StaticResults& results, Session& io) {
  if (analysis == "op") print_point(circuit, io);
  if (analysis == "pz" && results.poles) print_poles(*results.poles, io);
  if (analysis == "ac" && results.signals) print_frequencies(circuit, *results.signals, io);
  if (analysis == "dc" && results.sweep) print_sweep(circuit, *results.sweep, io);
}

void print_circuit(const Circuit& circuit, const Solution& solution, Session& io) {
  print_signals(circuit, solution, io);
  print_measurements(circuit, solution, io);
  if (!circuit.direct_point().found) return;
  const StaticResults results = static_results(circuit, circuit.analyses());
  for (const std::string& analysis : circuit.analyses()) {
    if (analysis == "tran") continue;
    io.out << '\n';
    print_analysis(analysis, circuit, results, io);
  }
}

}  // namespace daedalus::cli
