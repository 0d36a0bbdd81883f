// SPDX-License-Identifier: BSD-3-Clause
// Work-precision curves compared: the time in which a solver reaches a number of digits, and who is
// faster there.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tool/work_run.hpp"

namespace daedalus::bench {

inline constexpr std::array<double, 4> summary_digits{4.0, 6.0, 8.0, 10.0};

// CPU time at so many digits, of the runs of one solver, loosest tolerance first: log(time)
// interpolated over mescd between neighbouring runs on both sides of it, or the time of a run that
// has more digits, whichever is least. NaN: no run has so many.
double time_at(const std::vector<Run>& runs, double mescd);

// One solver's runs on one problem.
struct WorkCurve {
  std::string problem;
  std::string library;      // "daedalus": ours
  std::string solver;       // as asked for: "auto" stays auto
  std::string formulation;  // of the first run
  std::vector<Run> runs;
};

// Our fastest and our automatic choice against the fastest peer at one number of digits. NaN and
// empty names where nobody gets there.
struct Duel {
  std::string problem;
  double mescd = 0.0;
  std::string best, automatic, peer;  // solver and formulation
  double best_seconds = 0.0, automatic_seconds = 0.0, peer_seconds = 0.0;
  // Over the time of the fastest peer; NaN: one of the two does not get there.
  double best_ratio() const { return best_seconds / peer_seconds; }
  double automatic_ratio() const { return automatic_seconds / peer_seconds; }
  // A peer is more accurate than we are.
  bool lost_outright() const;
  bool won_outright() const;  // no peer gets there, the automatic choice does
};

// Problem by problem, in the order of the curves, at all of `summary_digits`.
std::vector<Duel> duels(const std::vector<WorkCurve>& curves);

// All problems together at one number of digits.
struct Standing {
  double mescd = 0.0;
  int problems = 0;                              // in the means: both sides get there
  double best_mean = 0.0, automatic_mean = 0.0;  // geometric, of the ratios; NaN: none
  double worst = 0.0;                            // largest ratio of the automatic choice
  std::string worst_problem;
  std::vector<std::string> won, lost;  // outright, so not in the means
};
std::vector<Standing> standings(const std::vector<Duel>& list);

}  // namespace daedalus::bench
