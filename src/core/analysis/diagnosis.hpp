// SPDX-License-Identifier: BSD-3-Clause
// Why a run failed: the equations are looked at where it started and where it ended. Asked after
// the run, so nothing here is counted as its work.
#pragma once

#include <string>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/status.hpp>

#include <daedalus/stepper/layout.hpp>

namespace daedalus {

// What is known of a run, in model variables.
struct RunTrace {
  Status status = Status::success;
  double t0 = 0.0, t = 0.0, t_end = 0.0;
  Eigen::VectorXd start, end;  // consistent start (or the given one), last good point
  Eigen::VectorXd rates;       // derivatives at the end, tangent coordinates; empty: not known
  double last_step = 0.0;      // tried last
  long accepted = 0;
  bool impasse_told = false;    // the loop has named the equation already
  std::vector<double> modes{};  // in force at the end; empty: those of the start
};

// Sentences, each with a leading blank, that name equations and variables; empty: nothing is found.
// In this order: derivatives given wrongly; rows without variables, equations that depend on each
// other, a higher index than declared; an index that changes on the way (impasse point); a jump or
// the end of the domain of an equation; growth, and the terms that drive it; a tolerance below
// round-off for the index; the equation that Newton's method cannot meet.
std::string diagnose_failure(const Problem& problem, const Options& options, const RunTrace& run);

// What of it can be said at the start values alone: rows, rank, index.
std::string diagnose_start(const Problem& problem, double t0, const Options& options);

// Of derivatives that the user gave: the entry that differs from differences; empty: none, or none
// given.
std::string diagnose_derivatives(const Problem& problem, double t0);

// For a run that passed a place with many rejected steps: the equation that jumps there.
std::string diagnose_rejections(const Problem& problem, const Options& options,
                                const RunTrace& run);

}  // namespace daedalus
