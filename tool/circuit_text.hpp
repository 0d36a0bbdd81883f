// SPDX-License-Identifier: BSD-3-Clause
// Analyses of a netlist as text.
#pragma once

#include <string>

#include <daedalus/circuit.hpp>

#include "tool/circuits.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {

void print_analysis(const std::string& analysis, const Circuit& circuit,
                    const StaticResults& results, Session& io);
// An angle in degrees that differs from `angle` by whole turns and is the nearest to `before`.
double unwrapped(double angle, double before);

}  // namespace daedalus::cli
