// SPDX-License-Identifier: BSD-3-Clause
// One solver on one problem of the catalogue at one tolerance: cost and error in the same units for
// our methods and for peers. Shared by `daedalus bench` and the benchmark program.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <catalogue/catalogue.hpp>
#include <daedalus/method.hpp>
#include <daedalus/options.hpp>

namespace daedalus::bench {

struct Run {
  bool ok = false;
  std::string status, message;
  std::string library = "daedalus";
  std::string solver, formulation;
  std::string asked;  // as asked for: "auto" stays auto
  double tol = 0.0;   // rtol; atol is the same times the catalogue's factor per variable
  long accepted = 0, rejected = 0;
  long evaluations = 0;  // of f or F, those for Jacobians not included
  long jacobians = 0, factorisations = 0;
  // Evaluations plus directional derivatives in the Jacobians, in the steps alone: peers are given
  // consistent start values.
  long work = 0;
  double seconds = 0.0;  // CPU time of the whole call
  // -log10 of the largest |error| / (atol / rtol + |reference|); NaN without reference.
  double mescd = std::numeric_limits<double>::quiet_NaN();
  double step_time() const { return seconds / static_cast<double>(accepted); }
  double attempt_time() const { return seconds / static_cast<double>(accepted + rejected); }
};

// atol = tol, scaled per variable as the catalogue says.
Tolerance absolute_tolerance(const problems::Entry& entry, const std::vector<std::string>& names,
                             double tol);

// mescd at the catalogue's end time, against its reference or else the exact solution.
double mixed_digits(const problems::Entry& entry, const std::vector<std::string>& names,
                    const double* end, double rtol, const Tolerance& atol);

// Start values, output at the end only, everything inside `solve` counted. Tolerances and output
// of the options are set here.
Run run_ours(const problems::Entry& entry, const Problem& problem, Options options, double tol);
Run run_ours(const problems::Entry& entry, const Problem& problem, const std::string& method,
             double tol, long max_steps = 1000000, const std::string& formulation = "auto");

// Whether the method takes the problem and controls its error there.
bool fits(const Problem& problem, const std::string& method,
          const std::string& formulation = "auto");

// One line of a work-precision diagram, loosest tolerance first. It stops after a failure, which is
// its last point, and after a run that took longer than `longest_seconds`: a method of order 1
// would need hours for the tight end. The time of a point is the least of its repetitions.
struct Line {
  std::vector<double> tolerances;
  double longest_seconds = 0.25;
  int repetitions = 3;
};
std::vector<Run> line(const Line& settings, const std::function<Run(double tol)>& run);

}  // namespace daedalus::bench
