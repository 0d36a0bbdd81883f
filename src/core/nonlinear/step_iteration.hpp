// SPDX-License-Identifier: BSD-3-Clause
// The one simplified Newton iteration of implicit steps. What is solved, and how matrices are
// formed, factorised and applied, is the matter of a `StepEquations`: F(t, x, d'(x)) = 0
// (newton.hpp), the transformed stages of Radau methods (methods/radau), increments on groups
// (group_newton.hpp). When to form and factorise is that of MatrixReuse, when to stop that of
// ConvergenceMonitor. Order of remedies: old factors, the old Jacobian with factors of this alpha,
// everything new; where the iteration is slow but on its way, a Jacobian where it has got to.
#pragma once

#include <daedalus/stepper/outcome.hpp>
#include "nonlinear/convergence_monitor.hpp"
#include "nonlinear/matrix_reuse.hpp"
#include "system/counter.hpp"

namespace daedalus {

class StepEquations {
 public:
  virtual ~StepEquations() = default;
  // Derivatives at the prediction, or where the iteration has got to.
  virtual Outcome linearise(bool on_the_way) = 0;
  // Whether they were taken at the point that the step begins at.
  virtual bool linearised_at_start() const { return false; }
  virtual Outcome factorise(double alpha) = 0;
  virtual int singular_column() const = 0;
  // Whether the factors have the form of this step, alpha aside.
  virtual bool factors_fit() const { return true; }
  // Residual at the iterate and the correction from it.
  virtual Outcome correct() = 0;
  virtual Correction measure(bool fresh, bool first) = 0;
  virtual void apply() = 0;
  // Once converged; newton_failed: only the corrections have, the matrix is wrong.
  virtual Outcome finish() { return Outcome::ok; }
  virtual void restart() = 0;  // back to the prediction
  // Whether rounding errors explain the last correction; asked before a step is given up.
  virtual bool at_round_off() { return false; }
};

struct StepIterationSettings {
  ConvergenceSettings convergence{};
  ReuseSettings reuse{};
  // Jacobians in one step while the iteration is slow but on its way.
  int max_renewed = 3;
  // Given steps cannot become smaller: new Jacobians help an iteration that diverges, too.
  bool renew_diverging = false;
};

class StepIteration {
 public:
  struct Result {
    Outcome outcome = Outcome::ok;
    int iterations = 0;
    double rate = 0.0;       // 0: not measured
    double remaining = 0.0;  // error of the result in units of the error scale, estimated
    ConvergenceReason reason = ConvergenceReason::none;
    Culprit culprit{};
  };

  StepIteration(Counter& counter, const StepIterationSettings& settings);
  // alpha: coefficient of E in the matrix, different for every step size.
  Result solve(StepEquations& equations, double alpha);

  MatrixReuse& reuse() { return reuse_; }
  const MatrixReuse& reuse() const { return reuse_; }
  ConvergenceMonitor& monitor() { return monitor_; }
  const ConvergenceMonitor& monitor() const { return monitor_; }
  StepIterationSettings& settings() { return settings_; }
  void archive(Archive& a);

 private:
  // Remembers whether this pass formed a Jacobian.
  Outcome prepare(StepEquations& equations, double alpha, bool exactly, bool old, bool on_the_way,
                  Result& result);
  Result iterate(StepEquations& equations, double alpha, bool fresh);
  bool worth_renewing(const Result& result, bool old, int renewed) const;

  Counter& counter_;
  StepIterationSettings settings_;
  ConvergenceMonitor monitor_;
  MatrixReuse reuse_;
};

}  // namespace daedalus
