// SPDX-License-Identifier: BSD-3-Clause
// Partitioned linear multistep methods for systems of index 2 (Arnold 1998, sections 3.2.2 and
// 3.3.3): P(EC)^M E with the explicit Adams predictor, where in each corrector
//   y = r + h beta f(y^(l), zeta),   0 = g(y)
// determines zeta and y^(l+1), and z follows by one of three rules from the last of them. All
// formulas hold on the true grid, so that given step sequences and error control need no others.
//
// Start: known values as far as Options::known gives them, after the start or before it. Otherwise
// the first step is a step of collocation at the k + 1 nodes t_0 + i h / k on the hidden constraint
// (index 1), iterated k + 1 times from constant rates; each iteration raises the order by one, so
// that y and z have local errors O(h^(k+2)). Its inner nodes are the history of the next steps.
// Where g depends on z as well (Remark 34) there is no such constraint: z of the start and of known
// values is taken as given, z follows from the second formula, and without known values the first
// steps use as many past values as there are.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include <daedalus/stepper.hpp>
#include "methods/partitioned_multistep/engine_history.hpp"
#include "methods/partitioned_multistep/engine_motion.hpp"
#include "nonlinear/half_explicit.hpp"
#include "system/system.hpp"

namespace daedalus::partitioned_multistep {

enum class Corrector { adams_moulton, difference_corrected_bdf };
// How z of the new point is defined: choices (I), (II), (III) of section 3.3.3.
enum class AlgebraicRule { hidden_constraint = 1, blocking = 2, second_formula = 3 };

struct Configuration {
  Corrector corrector = Corrector::adams_moulton;
  AlgebraicRule rule = AlgebraicRule::second_formula;
  int min_steps = 1, max_steps = 1;  // k; equal: one formula for the whole run
  int correctors = 2;                // M
  double gamma = 0.0;                // of the blocking
  // Wrong on purpose, for comparison: v' is blocked like lambda instead of following from it.
  bool block_rates = false;
  bool estimates = false;  // errors are estimated, orders up to max_steps are offered
  int fixed_steps = 1;     // k where no order is asked for
};

// Of P(EC)^M E with k steps: end of the interval of stability on the negative real axis.
double stability_limit(int k, int correctors);

class Engine final : public Stepper {
 public:
  Engine(System& system, const Configuration& configuration);

  Outcome start(const Start& s) override;
  Attempt attempt(const StepRequest& r) override;
  State& trial() override { return trial_; }
  Outcome interpolant(Interpolant& out) override;
  void commit(bool amended) override;
  int interpolant_degree() const override { return max_steps() + 1; }
  void archive(Archive& a) override;

 private:
  enum class Kind { known, collocation, multistep };
  struct Nodes {
    int count = 0;
    plmsm::Row<double> theta{};  // 1, 0, theta_1, ... or, of a collocation step, 1, ..., 1/k, 0
  };
  int max_steps() const { return std::max(configuration_.max_steps, configuration_.fixed_steps); }

  Outcome known_step(const StepRequest& r);
  bool known_past(const StepRequest& r, int k, Outcome& outcome);
  Outcome rate_of_known(double t, double* chart_rate);  // at scratch_.x
  Outcome collocation(const StepRequest& r);
  Outcome multistep(const StepRequest& r, int values);  // as many past values
  Outcome define_algebraic(const StepRequest& r, const plmsm::Formula<double>& formula,
                           double factor);
  Outcome blocked(const StepRequest& r, const plmsm::Formula<double>& formula);
  void remainder(const plmsm::Formula<double>& formula, double h, Eigen::VectorXd& out) const;
  void guess_algebraic();
  void finish(const StepRequest& r);
  Outcome estimate(const StepRequest& r);
  void add_estimate(int steps, double h);
  Outcome project(Eigen::Ref<Eigen::VectorXd> error);
  void note_lipschitz(const StepRequest& r);
  int stable_steps(double h, int wanted) const;
  void note_stage();
  Outcome own_rate(double t, double* x, const double* chart_rate, double* out);

  // Points and rates (in the chart) that the polynomials of the step go through, newest first.
  const double* node_rate(int j) const;
  const double* node_point(int j) const;

  System& system_;
  Configuration configuration_;
  std::unique_ptr<HalfExplicit> half_;
  std::unique_ptr<Motion> motion_;  // of blocked multibody systems
  int ny_, z_point_ = 0, z_count_ = 0, v_tangent_ = 0, v_count_ = 0;
  bool grouped_;
  History history_;
  const Trajectory* known_ = nullptr;

  // The step in progress.
  Kind kind_ = Kind::multistep;
  int k_ = 1;     // steps of its formula
  int laid_ = 0;  // values laid behind the only one
  Nodes nodes_;
  State base_, trial_, scratch_;
  double factor_ = 0.0;  // of the new rate in the corrector
  Eigen::VectorXd increment_, known_part_, second_part_, rate_, own_rate_, left_;
  struct Stage {
    Eigen::VectorXd increment, rate;
  };
  std::array<Stage, 2> stages_;  // where the last two correctors evaluated, newest first
  Eigen::MatrixXd inner_points_, inner_rates_;  // columns 0..k of a collocation step
  std::array<Eigen::VectorXd, 3> errors_;
  std::array<Estimate, 3> estimates_;
  int estimate_count_ = 0;
  // |f(y1) - f(y0)| / |y1 - y0| of this step and, fading, of those before it; 0: not known.
  double lipschitz_trial_ = 0.0, lipschitz_ = 0.0;
};

}  // namespace daedalus::partitioned_multistep
