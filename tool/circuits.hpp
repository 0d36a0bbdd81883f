// SPDX-License-Identifier: BSD-3-Clause
// What netlists add to `solve` and `check`: operating points, sweeps, small signals, the index.
#pragma once

#include <string>
#include <vector>

#include <daedalus/circuit.hpp>

#include "tool/json.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {

Json operating_point_object(const OperatingPoint& op);  // {variable: value}, or null
Json circuit_object(const Circuit& circuit);

// The analyses of a netlist that are not a run over time, if there is none of these to do; empty:
// the problem is solved like any other. `asked` is the option of the command line.
std::vector<std::string> static_analyses(const std::string& problem, const std::string& asked);
// `out`: a raw file for waveform viewers; empty: none.
int solve_circuit(const std::string& problem, const std::vector<std::string>& analyses, bool json,
                  const std::string& out, Session& io);
// "ac", "dc" and "poles" of a result, as far as they are among `analyses`.
void add_static_analyses(const Circuit& circuit, const std::vector<std::string>& analyses,
                         Json& result);

}  // namespace daedalus::cli
