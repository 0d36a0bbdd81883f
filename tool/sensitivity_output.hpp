// SPDX-License-Identifier: BSD-3-Clause
// Files and rankings of `daedalus sensitivity`.
#pragma once

#include <string>
#include <vector>

#include <daedalus/sensitivity.hpp>

#include "tool/files.hpp"

namespace daedalus::cli {

// How much one column moves the solution at its end: root mean square over the variables of
// p dx/dp over the largest value that the variable had at a reported time.
struct Influence {
  std::string name;
  double value = 0.0;
};
std::vector<Influence> influences(const Solution& solution);  // largest first

// Throws InvalidArgument for an ending that is no format of trajectories.
void check_sensitivity_file(const std::string& path);
// t, the variables, then d(x)/d(p) for every variable and column, at all steps. Of a failed run
// NAME.failed.ENDING is written; returns the name.
std::string write_sensitivities(const std::string& path, const Solution& solution);

// Per variable its curve, with a band for parameters off by `spread` of their size, independently;
// and p dx/dp by the parameters that move it most.
void draw_sensitivities(const std::string& title, const Solution& solution, double spread,
                        AtomicFile& file);

}  // namespace daedalus::cli
