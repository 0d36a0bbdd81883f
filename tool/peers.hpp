// SPDX-License-Identifier: BSD-3-Clause
// daedalus bench --peers: our methods and other libraries in one run. The tool links none of them:
// the program daedalus_peers, built beside it, measures one problem at a time.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tool/bench.hpp"
#include "tool/session.hpp"
#include "tool/work_curve.hpp"

namespace daedalus::cli {

// Runs of the program, one curve per solver and formulation; of our methods one per method.
std::vector<bench::WorkCurve> curves_of(const std::string& problem,
                                        const std::vector<bench::Run>& runs);

Json describe_duels(const std::vector<bench::Duel>& duels);
Json describe_standings(const std::vector<bench::Standing>& standings);
void print_duels(const std::vector<bench::Duel>& duels, std::ostream& out);
// The automatic choice, and every curve that is the fastest of its side somewhere.
std::vector<bench::WorkCurve> leaders(const std::vector<bench::WorkCurve>& curves);

// No problem: the suite `core`. `program`: where daedalus_peers is; empty: beside the tool. Exit
// code; a problem that the program does not finish is named and left out.
int peers_command(const BenchSettings& settings, const std::string& program, Session& io);

}  // namespace daedalus::cli
