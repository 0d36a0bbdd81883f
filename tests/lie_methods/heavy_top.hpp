// SPDX-License-Identifier: BSD-3-Clause
// Runs of the heavy top with errors against its exact solution, as in the measurements of Wieloch
// (2022), chapter 6: ERR1 is the 2-norm of the difference at the end, ERR2 that of the largest
// difference per component over all steps.
#pragma once

#include <cmath>
#include <string>

#include <catalogue/catalogue.hpp>
#include <catalogue/heavy_top.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::lie_testing {

struct Errors {
  double q = 0.0, v = 0.0, lambda = 0.0;
};
struct HeavyTopRun {
  Status status = Status::success;
  std::string message;
  long accepted = 0, rejected = 0;
  Errors end, largest;  // ERR1, ERR2
  double position_residual = 0.0, velocity_residual = 0.0;
};

// Newton's method to round-off, exact start values; the caller gives steps.
Options exact_start(problems::HeavyTop form, std::string method);
HeavyTopRun run_heavy_top(problems::HeavyTop form, const Options& options, double t_end = 1.0);
// The problem of the catalogue in this form.
Problem heavy_top_problem(problems::HeavyTop form);

// log2 of the ratio of errors under halving of the step.
inline double slope(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace daedalus::lie_testing
