// SPDX-License-Identifier: BSD-3-Clause
// Newton's method for F(t, x, d'(x)) = 0 of a step: the equations of step_iteration.hpp, with the
// matrix alpha E + J.
#pragma once

#include <Eigen/Core>
#include <functional>

#include <daedalus/stepper.hpp>
#include "nonlinear/residual_rows.hpp"
#include "nonlinear/round_off.hpp"
#include "nonlinear/step_iteration.hpp"
#include "system/system.hpp"

namespace daedalus {

struct NewtonSettings {
  double kappa = 0.03;
  int max_iterations = 8;
  double slow_rate = 0.3;  // a slower step asks for a fresh Jacobian next time
  // Factors of another alpha are kept while |alpha / theirs - 1| is at most this; corrections are
  // then multiplied by 2 / (1 + alpha / theirs), halfway between what stiff and non-stiff
  // components need (Brenan, Campbell, Petzold 1989, section 5.2.2). 0: always those of alpha.
  double alpha_range = 0.0;
  // Corrections below this part of the tolerance that stop falling are rounding errors.
  double floor = 0.0;
  // One correction may end the iteration if the rate seen before with this Jacobian says so.
  bool trust_rate = false;
};

// d'(x) of a discretisation at the new time; its derivative is alpha d_x.
using DifferenceFormula = std::function<Outcome(const double* x, double* dd)>;

class Newton final : private StepEquations {
 public:
  using Result = StepIteration::Result;

  Newton(System& system, NewtonSettings settings);
  // Not with given steps: nothing but the method is to be seen in their results.
  void accept_round_off(bool on) { accepts_round_off_ = on; }
  void forget();  // after a start: no Jacobian is recent enough

  // Iterates x from its given value; dd receives d'. expected: see CorrectionScale.
  Result solve(double t_new, double alpha, const DifferenceFormula& formula,
               const Eigen::VectorXd& weight, Eigen::VectorXd& x, Eigen::VectorXd& dd,
               const double* expected = nullptr);
  void archive(Archive& a);

 private:
  struct Step {
    double t = 0.0, alpha = 0.0;
    const DifferenceFormula* formula = nullptr;
    const Eigen::VectorXd* weight = nullptr;
    Eigen::VectorXd *x = nullptr, *dd = nullptr;
  };

  Outcome linearise(bool on_the_way) override;
  Outcome factorise(double alpha) override;
  int singular_column() const override { return view_.residual_pencil().singular_column(); }
  Outcome correct() override;
  Correction measure(bool fresh, bool first) override;
  ResidualRows::Scale row_scale() const;
  Outcome differentiate() { return (*step_.formula)(step_.x->data(), step_.dd->data()); }
  void apply() override;
  Outcome finish() override;
  void restart() override { *step_.x = guess_; }
  bool at_round_off() override;

  System& system_;
  ResidualView& view_;
  double kappa_;
  bool trusting_;
  StepIteration iteration_;
  CorrectionScale scale_;
  ResidualRows rows_;
  RoundOff round_off_;
  bool accepts_round_off_ = false;
  bool verifying_ = false;  // a first residual made the matrix doubtful
  int single_ = 0;          // steps in a row that one correction ended
  Step step_;
  Eigen::VectorXd residual_, guess_;
};

}  // namespace daedalus
