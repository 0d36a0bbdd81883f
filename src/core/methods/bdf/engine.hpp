// SPDX-License-Identifier: BSD-3-Clause
// The BDF stepper on F(t, x, d') = 0: orders 1 to 6 on the true grid, predictor, estimates at the
// orders k - 1, k and k + 1, start by a double step of implicit Euler, interpolant of degree k.
// d = x, or d(t, x) of a properly stated leading term, whose own history is differentiated. On a
// group the formula holds in the chart at the new point, where x' and the derivative of the
// coordinates agree, and the prediction in the chart at x_n.
#pragma once

#include <array>
#include <memory>

#include <daedalus/stepper.hpp>
#include "methods/bdf/engine_formula.hpp"
#include "methods/bdf/engine_stability.hpp"
#include "nonlinear/carried_error.hpp"
#include "nonlinear/newton.hpp"
#include "system/system.hpp"

namespace daedalus::bdf {

struct Configuration {
  int order = 0;  // > 0: this one once enough values are there
  int max_order = 5;
  NewtonSettings newton{};
  // The local error of x, or h times the error of x' (Tischendorf 1992, (4.4)), which is larger by
  // 1 to 2.45.
  bool estimate_defect = false;
  // The errors of many short steps add up where nothing damps them: on car-axis and andrews to 10
  // to 60 times what a step is allowed.
  double error_share = 1.0;
  // The first values without their leading error, and order 2 from then on.
  bool start_of_order_2 = false;
  bool double_step_all = false;  // the first estimate counts for untested variables too
  int coupling_steps = 0;        // > 0: accepted steps over which System::freeze() holds
  bool watch_stability = false;  // lower the order where oscillations limit the step
  int hold_order = -1;           // accepted steps at an order before it may change; -1: k + 1
};

// A method option that is an order; throws InvalidArgument naming it when it is none.
int order_setting(const MethodSettings& settings, std::string_view key, int least);

// Options and settings of the methods that control step and order as `bdf` does.
// Description without name, largest index, formulations, reference and factory.
Method standard_method();
Configuration standard_configuration(const System& system, const MethodSettings& settings);

// BDF run on index 3, but lambda is as good as h^(k-2) only and every rounding error counts h^-2.
void warn_of_index_3(System& system);

class BdfStepper final : public Stepper {
 public:
  BdfStepper(System& system, const Configuration& configuration);

  Outcome start(const Start& s) override;
  Attempt attempt(const StepRequest& r) override;
  State& trial() override { return trial_; }
  Outcome interpolant(Interpolant& out) override;
  void commit(bool amended) override;
  int interpolant_degree() const override;
  bool estimates_all() const override { return !configuration_.estimate_defect; }
  void archive(Archive& a) override;

 private:
  // The step in progress: d' = alpha (d - prediction) + slope.
  struct Discretisation {
    double t_new = 0.0, alpha = 0.0, h = 0.0;
    int order = 1;
    Formula::Row derivative{};                     // of the values below, for blocks on a group
    std::array<const double*, max_values> past{};  // x_n, x_{n-1}, ...
  };

  int usable_order(int wanted) const;
  Outcome difference(const double* x, double* dd);
  Attempt known_step(const StepRequest& r);
  Attempt double_step(const StepRequest& r);
  Attempt multistep(const StepRequest& r, int k);
  Newton::Result euler(const Eigen::VectorXd& from, const Eigen::VectorXd& d_from, double t_new,
                       double h, const Eigen::VectorXd& weight, Eigen::VectorXd& x);
  void predict(const Formula& f, int k);
  void estimate(const Formula& f, int k);
  void add_estimate(int order, const Eigen::VectorXd& value);
  bool on_wrong_branch(const Eigen::VectorXd& from, const Eigen::VectorXd& to, double h,
                       Culprit& culprit) const;
  void remember(double t, const Eigen::VectorXd& x);
  int slot(int back) const { return ring_[static_cast<std::size_t>(back)]; }

  System& system_;
  ResidualView& view_;
  Configuration configuration_;
  Newton newton_;
  CarriedError carried_error_;
  StabilityWatch stability_;
  DifferenceFormula formula_;
  Discretisation step_;
  bool stated_, grouped_;
  int max_index_ = 1;
  const Trajectory* known_ = nullptr;

  // Values newest first: ring_[0] is the column of x_n.
  std::array<int, max_values + 1> ring_{};
  std::array<double, max_values + 1> times_{};
  int count_ = 0;
  int since_refresh_ = 0;             // accepted steps
  Eigen::MatrixXd points_, leading_;  // one column per value: x, and d if it is stated
  Eigen::VectorXd rate_;              // x' at the start

  Eigen::MatrixXd relative_, phi_, relative_d_, phi_d_;
  Eigen::VectorXd prediction_, move_, slope_, slope_x_, d_prediction_, d_new_, dd_;
  Eigen::VectorXd middle_, whole_, d_middle_, change_, error_, error_below_, error_above_;
  State trial_, scratch_;
  std::array<Eigen::VectorXd, 3> carried_;  // of the estimates
  std::array<Estimate, 3> estimates_;
  int estimate_count_ = 0;
  bool started_by_double_step_ = false, extrapolated_ = false;
  double t_middle_ = 0.0;
};

}  // namespace daedalus::bdf
