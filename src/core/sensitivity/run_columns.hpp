// SPDX-License-Identifier: BSD-3-Clause
// The columns of a run: start, steps, events, output.
//
// After an accepted step the linear variational equations are solved along the states just
// computed, with matrices of their own at the points of the formula (staggered direct scheme):
//   multistep     the backward difference formula of the order that the states used, on the times
//                 of accepted steps; Maly, Petzold (1996), Feehery, Tolsma, Barton (1997);
//   collocation   Radau IIA with 3, 5 or 7 points on the interpolant of the states, in parts of the
//                 step where the columns change faster than the states: for every other method,
//                 whatever its formulas are, and for first steps.
// Tested columns take part in the step control with errors of their own (column_error.cpp); coupled
// ones are solved with the states, before it is known that the step will stand.
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "sensitivity/make_columns.hpp"
#include "sensitivity/settle.hpp"
#include "sensitivity/stage_system.hpp"
#include "sensitivity/step_polynomial.hpp"

namespace daedalus {

class RunColumns final : public Columns {
 public:
  RunColumns(const ColumnRequest& request, System& run, Asked asked,
             const std::string& formulation);

  std::string start(const State& s) override;
  Outcome advance(const ColumnStep& step) override;
  void give_up() override { lose(why_); }
  bool tested() const override { return options_.sensitivities.error_test; }
  bool coupled() const override {
    return options_.sensitivities.method == SensitivityMethod::simultaneous;
  }
  double error(int order) const override;
  void refused() override;
  std::string limiting() const override;
  void commit() override;
  void locate(int event, double t, EventRecord& record) override;
  std::string jump(const ColumnJump& jump) override;
  void take_over(Columns& before, const State& s) override;
  void archive(Archive& a) override;
  void concluded() override;
  std::vector<std::string> take_warnings() override { return std::exchange(warnings_, {}); }

  void report(double t, SensitivityData& data) override;
  void piece(SensitivityData& data) override;
  void begin(SensitivityData& data) override;
  void end(SensitivityData& data) override;
  const Eigen::MatrixXd& now() const override { return shown_; }

 private:
  static constexpr std::size_t max_past = 7;  // of a formula of order 6
  struct Value {
    double t;
    Eigen::MatrixXd s;
  };
  Outcome multistep(const ColumnStep& step);
  Outcome collocation(const ColumnStep& step);
  // From t0 over h with as many stages as the columns need; halves it where none are enough.
  Outcome collocate(double t0, double h, int stages, int depth);
  Outcome stages(double t0, double h, int m, StepPolynomial& part);

  // Errors of columns (column_error.cpp), weighted: the worst column's; it is worst_column_ then.
  double unresolved(const StepPolynomial& part) const;
  double multistep_error(int order) const;
  double weighted(const Eigen::MatrixXd& error) const;
  void tell_error();
  void choose_tested(const State& s);
  // The state of the run in the equations of the columns; y: in model coordinates.
  State placed(const State& s, Eigen::VectorXd& y);
  void lose(const std::string& why);  // no derivative from here on
  void restart(double t);
  void see_moved();
  void tell_differences();
  void show(double t);
  // A point of the column equations from model coordinates and rates.
  void place(double t, const Eigen::VectorXd& y, const Eigen::VectorXd& rates, StagePoint& p) const;
  void on_interpolant(double t, StagePoint& p);

  // Events (column_events.cpp).
  struct EventSlopes {
    Eigen::VectorXd by_state;  // tangent coordinates of the model
    double by_time = 0.0;
    Eigen::VectorXd by_parameters;  // that are asked for
    bool failed = false;
  };
  double event_value(const Event& e, double t, const Eigen::VectorXd& y,
                     const std::vector<double>& p) const;
  EventSlopes slopes(int event, double t, const Eigen::VectorXd& y) const;
  const Event* nearby(int event, int parameter, bool up) const;
  Eigen::VectorXd time_derivative(int event, double t, const Eigen::VectorXd& y,
                                  const Eigen::VectorXd& rates, const Eigen::MatrixXd& s);
  Eigen::VectorXd handled(const ColumnJump& jump, double t, Eigen::VectorXd y,
                          const std::vector<double>& p, int parameter, bool up) const;
  std::string jump_base(const ColumnJump& jump, const State& after, const Eigen::MatrixXd& X,
                        const Eigen::VectorXd& tau, Eigen::MatrixXd& out);
  std::vector<double> inputs(int parameter, double value) const;

  System& run_;
  Asked asked_;
  const Options& options_;
  bool multistep_method_;
  bool frozen_;  // the formulas of the computed steps, and no finer ones
  bool same_system_;
  ColumnEquations equations_;
  std::map<int, StageSystem> systems_;  // by the number of stages
  Settle settle_;
  Layout model_;  // of the model variables
  int rows_;
  Eigen::MatrixXd s_, shown_;
  Eigen::VectorXd rates_;  // of the model, at the last state
  double t_ = 0.0;
  std::deque<Value> past_;             // newest first
  std::vector<StepPolynomial> parts_;  // of the step at hand, one after another
  double step_t0_ = 0.0, step_h_ = 0.0;
  bool pending_ = false, lost_ = false, told_error_ = false, told_idle_ = false;
  // Of the step at hand.
  bool by_formula_ = false;
  int step_order_ = 0;
  double step_error_ = 0.0, largest_error_ = 0.0;
  mutable int worst_column_ = -1, worst_row_ = -1;
  std::vector<long> refusals_;  // of steps, per column
  std::vector<char> moved_;     // columns that were not 0 throughout
  std::string why_;             // the last advance() failed
  Eigen::MatrixXd tolerance_;   // absolute, per entry
  std::vector<int> tested_;     // index of the variables whose columns are tested; 0: not
  long steps_ = 0;
  double seconds_ = 0.0;
  std::vector<std::string> warnings_;
  Interpolant model_piece_;
  Eigen::MatrixXd model_powers_;
  std::vector<StagePoint> points_;
  // Events of problems built for values nearby, per parameter asked for.
  std::vector<std::array<std::vector<Event>, 2>> near_events_;
};

}  // namespace daedalus
