// SPDX-License-Identifier: BSD-3-Clause
// Radau IIA collocation on F(t, x, d') = 0 with s = 3, 5, 7 stages, orders 5, 9, 13. With the
// stages x_n (+) z_i and (d'_i) = h^{-1} A^{-1} z:
//   F(t_n + c_i h, x_n (+) z_i, d'_i) = 0,  i = 1, ..., s,  x_{n+1} = x_n (+) z_s.
// Simplified Newton iteration with E = F_d' d_x and J = F_x at (t_n, x_n): with w = T^{-1} z the
// linear systems fall apart into gamma/h E + J and (alpha - i beta)/h E + J. d = x, or d(t, x) of a
// properly stated leading term. On a group z lives in the chart at x_n and x' = T(z) z'.
// Hairer, Wanner (1996), section IV.8; Hairer, Wanner (1999); docs/radau.md.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <daedalus/stepper.hpp>
#include "kernel/radau_table.hpp"
#include "nonlinear/carried_error.hpp"
#include "nonlinear/residual_rows.hpp"
#include "nonlinear/round_off.hpp"
#include "nonlinear/step_iteration.hpp"
#include "system/complex_pencil.hpp"
#include "system/system.hpp"

namespace daedalus::radau {

using Table = kernel::RadauTable<double>;

// Made once per process from the definition in long double; s = 3, 5 or 7.
const Table& table_of(int stages);

inline int stages_of(int order) { return order >= 13 ? 7 : order >= 9 ? 5 : 3; }
inline int order_of(int stages) { return 2 * stages - 1; }
inline int max_iterations(int stages) { return 10 + (stages - 3); }
// Contraction rates are proportional to h: steps aim at no more than this one.
inline constexpr double target_rate = 0.2;
// Ratio of steps up to which matrices are formed on the prediction.
inline constexpr double longest_prediction = 2.0;
// Tolerances that a matrix which is wrong for the end of a step may leave there.
inline constexpr double max_missing = 10.0;

// Corrections that are rounding errors and go up and down say nothing about longer steps, which
// have smaller ones. On a group they may: there the length of a chart limits steps as well.
inline bool is_noise(const StepIteration::Result& n, const Layout& layout) {
  return layout.euclidean() && n.reason == ConvergenceReason::round_off && n.rate >= target_rate;
}

struct Configuration {
  int order = 0;  // > 0: this one for the whole run
  int max_order = 5;
  double kappa = 0.03;
  double slow_rate = 1e-3;  // contraction above which the Jacobian is renewed
};

Configuration configuration_of(const System& system, const MethodSettings& settings);
StepIterationSettings iteration_settings(const Configuration& configuration);
// Description without name, options of the order, and factory.
Method standard_method();

class RadauStepper final : public Stepper, private StepEquations {
 public:
  RadauStepper(System& system, const Configuration& configuration);

  Outcome start(const Start& s) override;
  Attempt attempt(const StepRequest& r) override;
  State& trial() override { return trial_; }
  Outcome interpolant(Interpolant& out) override;
  void commit(bool amended) override;
  int interpolant_degree() const override { return stages_of(configuration_.max_order); }
  void archive(Archive& a) override;

 private:
  int stages_for(int order) const;
  void predict(const Table& t);
  // The policies of the iteration: transformed stages.
  Outcome linearise(bool on_the_way) override;
  bool linearised_at_start() const override { return linearised_at_start_; }
  Outcome factorise(double alpha) override;
  int singular_column() const override { return view_.residual_pencil().singular_column(); }
  bool factors_fit() const override { return factor_stages_ == stages_; }
  Outcome correct() override;
  Correction measure(bool fresh, bool first) override;
  Outcome finish() override;
  bool at_round_off() override;
  void apply() override { z_.leftCols(stages_) += f_.leftCols(stages_); }
  void restart() override { predict(table_of(stages_)); }

  void set_iteration(const Table& t);
  Attempt failed(const StepIteration::Result& n, Attempt a);
  Outcome factorise_pairs(const Table& t, double h);
  void set_trial(const Table& t, double t_new);
  void leave_start_out(const Table& t, Interpolant& out) const;
  Outcome residuals(const Table& t);
  Outcome leading_values(const Table& t);
  void stage_rate(const Table& t, int stage);
  // From the coordinates of the chart at x_n to those at the stage.
  void to_tangent(int stage, double* rate) const;
  void solve_blocks(const Table& t);
  void estimate(const Table& t, const Eigen::VectorXd& weight);
  void advise(const Table& t, const StepIteration::Result& n, Attempt& a);

  System& system_;
  ResidualView& view_;
  Configuration configuration_;
  CarriedError carried_error_;
  std::vector<std::unique_ptr<ComplexPencil>> pairs_;
  std::vector<double> pair_values_;  // of the one that is factorised
  StepIteration iteration_;
  CorrectionScale scale_;
  ResidualRows rows_;  // of the last stage
  RoundOff round_off_;
  bool stated_, grouped_;
  std::vector<char> smooth_;  // variables whose value at t_n is as good as those at the stages

  // The committed point and the polynomial that led there.
  State current_;
  Eigen::MatrixXd last_z_;
  double last_h_ = 0.0;
  int last_stages_ = 0;  // 0: none, a start
  Eigen::VectorXd last_base_;
  bool prescribed_ = false;
  bool behind_corner_ = false;  // the last start was

  // What the iterations have learnt.
  bool linearised_at_start_ = false;
  double factor_h_ = 0.0;
  int factor_stages_ = 0;
  double slowest_ = 0.0;
  int since_order_ = 0;
  int calm_ = 0;  // accepted steps before the step may grow
  bool lower_order_ = false;

  // The attempt.
  double t_ = 0.0, h_ = 0.0;
  int stages_ = 3;
  bool attempted_ = false, astray_ = false;
  const Eigen::VectorXd* weight_ = nullptr;
  StepIteration::Result last_;
  Eigen::MatrixXd z_, f_, g_, leading_;
  Eigen::VectorXd x_, dd_, d_start_, pair_rhs_, end_;
  Eigen::VectorXd slope_, error_, second_, carried_;
  State trial_;
  Estimate estimate_;
};

}  // namespace daedalus::radau
