// SPDX-License-Identifier: BSD-3-Clause
// The one damped Newton (or Gauss-Newton) method: start values, steady states, contradictions.
// A correction dx is halved until what is left, in units of the problem's own, has fallen,
//   |r(x + lambda dx)| <= (1 - descent lambda) |r(x)|,   lambda = 1, 1/2, 1/4, ...
// (Armijo's condition; Deuflhard 2004, section 3.1). Near the end rounding errors decide, and the
// full correction is taken.
#pragma once

#include <daedalus/stepper/outcome.hpp>

namespace daedalus {

class DampedEquations {
 public:
  virtual ~DampedEquations() = default;
  // Rows, derivatives and the full correction at the present point.
  virtual Outcome linearise() = 0;
  virtual double length() const = 0;         // of the full correction, in units of the error scale
  virtual double remainder() = 0;            // of the rows at the point of the last move
  virtual Outcome move(double damping) = 0;  // from the point of linearise(); 0: back to it
  // Whether the full correction is no more than round-off of the point.
  virtual bool negligible() const { return false; }
  // Asked after each move near the end; false: something else still has to settle.
  virtual bool settled() { return true; }
};

struct DampedSettings {
  int max_iterations = 100;
  double min_damping = 1e-10;  // a shorter part of a correction leads nowhere
  double descent = 0.1;        // of the linear prediction; 0: any decrease
  // Full corrections below this many tolerances end the iteration: quadratic convergence leaves
  // far less.
  double tolerance = 1e-6;
  // Where no part of a correction helps, values this near count as found: rounding errors.
  double max_stuck = 1e-3;
};

struct DampedResult {
  // newton_failed: stuck, or iterations used up; others as the equations return them.
  Outcome outcome = Outcome::ok;
  int iterations = 0;
  bool stuck = false;    // no part of the last correction helped
  double longest = 0.0;  // move so far, in units of the error scale
};

DampedResult damped_newton(DampedEquations& equations, const DampedSettings& settings);

}  // namespace daedalus
