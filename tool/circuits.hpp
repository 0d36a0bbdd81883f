// SPDX-License-Identifier: BSD-3-Clause
// What netlists add to `solve` and `check`: operating points, sweeps, small signals, the index.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include <daedalus/circuit.hpp>

#include "tool/json.hpp"
#include "tool/session.hpp"
#include "tool/settings.hpp"

namespace daedalus::cli {

Json operating_point_object(const OperatingPoint& op);  // {variable: value}, or null
Json circuit_object(const Circuit& circuit);

// Analyses that are not a run over time, done once for all that shows them. Signals end them; what
// is finished counts.
struct StaticResults {
  std::optional<DirectSweep> sweep;
  std::optional<std::vector<SmallSignal>> signals;
  std::optional<std::vector<std::complex<double>>> poles;
};
StaticResults static_results(const Circuit& circuit, const std::vector<std::string>& analyses);

// The analyses of a netlist that are not a run over time, if there is none of these to do; empty:
// the problem is solved like any other. `asked` is the option of the command line.
std::vector<std::string> static_analyses(const std::string& problem, const std::string& asked);
// `out`: a raw file for waveform viewers; empty: none.
int solve_circuit(const RunSettings& settings, const std::vector<std::string>& analyses, bool json,
                  const std::string& out, Session& io);
// Behind the text of a run: what .print and .meas select, and the other analyses of the netlist.
void print_circuit(const Circuit& circuit, const Solution& solution, Session& io);
// "meas": {name: value}, null where it cannot be had.
void add_measurements(const Circuit& circuit, const Solution& solution, Json& result);
// "ac", "dc" and "poles" of a result, as far as they are among `analyses`.
void add_static_analyses(const Circuit& circuit, const std::vector<std::string>& analyses,
                         const StaticResults& results, Json& result);

}  // namespace daedalus::cli
