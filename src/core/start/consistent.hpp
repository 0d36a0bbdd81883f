// SPDX-License-Identifier: BSD-3-Clause
// Consistent start values: one entry point for every problem form, at the start and after events.
#pragma once

#include <string>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/status.hpp>

#include "system/system.hpp"

namespace daedalus {

struct StartReport;

struct StartRequest {
  StartStrategy strategy = StartStrategy::automatic;
  Eigen::VectorXd weight{};  // error scale at the start, tangent coordinates
  std::vector<int> fixed{};  // model variables that `solve` must not change
  // Extra rows that hold at the start only (initial equations), as a function of the state.
  int extra_count = 0;
  std::function<Outcome(const State&, double* rows)> extra{};
  // A system with a way of its own: the others need all of its equations in one process.
  std::function<StartReport(System&, State&, const StartRequest&)> own{};
};

struct StartReport {
  struct Row {
    std::string equation;
    double value;   // residual
    double scaled;  // in units of what a change within tolerance would cause
  };
  Status status = Status::success;
  std::string message;
  std::vector<Row> rows;  // algebraic and constraint rows, worst first
  bool changed = false;   // start values were altered by more than completing them
};

// automatic: checks the given values and completes what follows from them (multipliers,
// accelerations, derivatives); positions and velocities of multibody problems that are off by the
// last of eight digits are corrected, with a message; solve: alters them as little as the equations
// allow; given: completes only. The system must be prepared.
//
// solve for M x' = f with a constant M: what M sees of x is kept, Newton's method with damping
// finds the rest (Steinebach 1988, section 9.2; start_linear.cpp). With fixed variables or initial
// equations: the smallest change in the error scale that meets everything (min_change.hpp).
// Of declared index two and higher, with generic callables and at most 60 variables: the smallest
// change that meets all constraints, hidden ones included (start_array.cpp).
// Without success the state is left as given, and the message names the equations not met.
StartReport make_consistent(System& system, State& state, const StartRequest& request);

}  // namespace daedalus
