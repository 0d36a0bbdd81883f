// SPDX-License-Identifier: BSD-3-Clause
// A netlist: its index and what causes it, the operating point, small signals, a run, a raw file.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <daedalus/circuit.hpp>
#include <daedalus/daedalus.hpp>
#include <daedalus/raw_file.hpp>

namespace {

constexpr const char* netlist = R"(divider that shares charge with the source
V1 a 0 SIN(1 0.5 1k) AC 1
C1 a b 1u
C2 b 0 3u
R1 b 0 10k
.dc V1 0 2 0.5
.ac dec 5 1 10k
.tran 10u 3m
)";

void need(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "example 31: %s\n", what);
  std::exit(1);
}

}  // namespace

int main() {
  // [read]
  const daedalus::Circuit circuit = daedalus::read_circuit_text(netlist, "divider.cir");
  std::printf("%s\n", circuit.index().text.c_str());
  const daedalus::OperatingPoint op = circuit.operating_point();
  std::printf("v(a) = %g V, v(b) = %g V, by %s\n", op["v(a)"], op["v(b)"], op.method.c_str());
  for (const daedalus::DeviceValues& device : circuit.devices())
    for (const auto& [quantity, value] : device.values)
      std::printf("%s %s = %g\n", device.name.c_str(), quantity.c_str(), value);
  // [/read]
  const daedalus::CircuitIndex& index = circuit.index();
  need(index.topology == 2 && index.cause.size() == 3, "index");
  need(std::fabs(op["v(a)"] - 1.0) < 1e-9, "operating point");

  // [ac]
  const std::vector<daedalus::SmallSignal> signals = circuit.small_signals();
  std::printf("|v(b)| = %.4f at %g Hz\n", std::abs(signals.back().values[1]), signals.back().f);
  // [/ac]
  need(std::fabs(std::abs(signals.back().values[1]) - 0.25) < 1e-3, "small signals");

  const daedalus::DirectSweep sweep = circuit.direct_sweep();
  need(sweep.complete && sweep.points.size() == 5, "sweep");
  daedalus::OperatingPointOptions without_newton;
  without_newton.skip = {"newton"};
  need(circuit.operating_point(without_newton).method == "gmin stepping", "gmin stepping");
  const daedalus::CircuitGraph graph = circuit.graph();
  for (const daedalus::CircuitGraph::Edge& edge : graph.edges)
    need(edge.marked == (edge.element != "r1"), "loop");

  // [tran]
  const daedalus::Entry entry = circuit.entry();
  daedalus::Options options = circuit.options(1e-6);
  options.output = daedalus::Output::dense;
  const daedalus::Solution solution = solve(entry.problem(), {entry.t0, entry.t_end}, options);
  std::printf("i(v1) = %.6g A at t = %g s\n", solution.end()["i(v1)"], solution.end_time());
  // [/tran]
  need(solution.ok(), "run");
  // The current of the source is the derivative of its voltage: -C v' with C1 and C2 in series,
  // beside a little through R1.
  const double current = -0.75e-6 * 0.5 * 2000.0 * M_PI;
  need(std::fabs(solution.end()["i(v1)"] / current - 1.0) < 0.02, "current of index 2");

  // [raw]
  daedalus::RawPlot plot;
  plot.title = circuit.title();
  plot.name = "Transient Analysis";
  plot.names = {"time", "v(b)"};
  std::vector<std::vector<double>> rows;
  for (int k = 0; k <= 300; ++k) {
    const double t = 1e-5 * k;
    rows.push_back({t, solution.at(std::fmin(t, solution.end_time()))["v(b)"]});
  }
  plot.set_rows(rows);
  daedalus::write_raw("31_netlist.raw", {plot}, false);
  // [/raw]
  const daedalus::RawVectors back = daedalus::read_raw("31_netlist.raw").front();
  need(back.points() == 301 && back.kinds[1] == "voltage", "raw file");
  return 0;
}
