// SPDX-License-Identifier: BSD-3-Clause
// Runs of mechanisms with a method of one's choice.
#pragma once

#include <string>
#include <vector>

#include <daedalus/mechanism.hpp>
#include <daedalus/options.hpp>

namespace daedalus {

// Motions without damping carry every error to their end and add them up: the share of the
// tolerance that the error of one step may take, by method; a tenth of that at index 3. `auto` and
// implicit Runge-Kutta methods: all of it, for they see to it themselves.
double step_error_share(const std::string& method, const std::string& formulation = "auto");

// Options of a run with the events of the mechanism, whose steps take that share.
Options run_options(const Assembled& mechanism, double tolerance,
                    const std::string& method = "auto");

// What an interval of time shows: drives by a table that is held behind its end, where their
// velocity jumps. One sentence each.
std::vector<std::string> run_warnings(const Assembled& mechanism, double t_end);

}  // namespace daedalus
