// SPDX-License-Identifier: BSD-3-Clause
// What every method owes the integrator loop, whatever its family. Each check takes a problem and
// the options of a run (method, formulation, steps or tolerances) and tells violations as text.
#pragma once

#include <string>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::testing {

struct ContractReport {
  std::vector<std::string> violations;
  bool ok() const { return violations.empty(); }
  std::string text() const;  // one line per violation
};

// Dense output is the reported state at both ends of every step, to `round_off` relative to the
// size of the variable; with ProjectionWhen::every_step that is the projected state.
ContractReport check_interpolant_ends(const Problem& problem, Interval interval,
                                      const Options& options, double round_off = 1e-12);

// Before every step the attempts h, h/2, 2 h are made and thrown away: h again must give the same
// bits as without them. A method that iterates may keep a Jacobian from a rejected attempt; for it
// the results may differ by `iteration` in units of the error tolerance.
ContractReport check_rejections(const Problem& problem, Interval interval, const Options& options,
                                double iteration = 0.05);

// The same input gives the same bits.
ContractReport check_same_bits(const Problem& problem, Interval interval, const Options& options);

// A run that is archived after each step and resumed in a new integrator ends on the same bits.
ContractReport check_resume(const Problem& problem, Interval interval, const Options& options);

// There and back again: the start is met to `tolerance` relative to 1 + |x|.
ContractReport check_backward(const Problem& problem, Interval interval, const Options& options,
                              double tolerance);

// With fixed steps the first failure ends the run: one rejected attempt, no further one, a status
// other than success. The problem has to fail somewhere inside the interval.
ContractReport check_gives_up(const Problem& problem, Interval interval, const Options& options);

}  // namespace daedalus::testing
