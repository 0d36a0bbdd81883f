// SPDX-License-Identifier: BSD-3-Clause
// How good the values between two steps are. Estimates of one-step methods look at the end of a
// step alone, and those of stiffly accurate methods not even there at variables that algebraic
// equations determine: 0 = z - s(t) is solved exactly at both ends, whatever s does in between.
// The equations themselves know better: with the defect r of the interpolant p at an inner point,
//   F(t, p, p') = r,   (alpha E + beta J) e = r,
// with the matrix that the method has factorised last, alpha about 1/h. In algebraic equations e is
// a Newton correction, the distance to their solution; in differential ones about h r, what the
// defect adds up to over a part of the step (Enright 1989; Shampine 2005). One evaluation and one
// solve.
// Half-explicit and explicit methods have no such matrix and do not test z and lambda: there the
// hidden constraint gives them for y of the interpolant, and the distance is their error.
#pragma once

#include <Eigen/Core>
#include <memory>

#include <daedalus/method.hpp>

#include <daedalus/stepper.hpp>
#include <daedalus/stepper/layout.hpp>
#include "control/measure.hpp"
#include "nonlinear/half_explicit.hpp"
#include "system/system.hpp"

namespace daedalus {

class BetweenSteps {
 public:
  // all_tested: the error test looks at algebraic variables, too.
  BetweenSteps(System& system, const Method& method, const Stepper& stepper, Measure& measure,
               bool all_tested);
  // Methods without a matrix of their equations, or a hidden constraint, are not tested.
  bool possible() const { return view_ != Kind::none; }
  // In every step, whether or not values inside are asked for: the estimate of the method vanishes
  // on y' = f(t), or the end of a step need not satisfy the algebraic equations.
  bool always() const { return always_; }

  struct Finding {
    double value = 0.0;  // largest |e_i| h^(k-1) over its scale, index k; 0: not known
    int worst = -1;      // tangent coordinate
    double t = 0.0;
  };
  // Whether it is time for a test: while steps do not grow, the last values were good and the end
  // of the step is no surprise, some are left out, so that the tests cost a tenth of the steps at
  // most.
  bool due(const Interpolant& p, const Eigen::VectorXd& scale);
  // Between a good attempt and its commit. The inner point differs from step to step: no frequency
  // hides behind a fixed one.
  Finding test(const Interpolant& p, const Eigen::VectorXd& scale, long number);
  // Of methods that do not test z and lambda: the same at the end of a step of length h, every few
  // steps and more seldom while it finds nothing, and where they leave their course.
  bool end_is_due(const State& end, const Eigen::VectorXd& scale, double h);
  Finding test_end(const State& end, const Eigen::VectorXd& scale, double h);
  // The same at one time that somebody asks for.
  Finding look(const Interpolant& p, const Eigen::VectorXd& scale, double t);
  // Whether this step was one of those with values inside.
  bool tested(const Interpolant& p) const { return p.h == last_.h && p.t0 == last_.t0; }
  // What errors like the columns would be found as.
  double value_of(const Eigen::MatrixXd& errors, const Eigen::VectorXd& scale, double h);
  void passed(double h, double share);  // share of the largest error allowed
  void left_out() { --rest_; }
  void committed(const Interpolant& p);  // the step was taken
  void committed_end(const State& end);
  void forget() { last_.h = 0.0; }                                  // without interpolant
  void start() { forget(), ends_known_ = 0, usual_at_end_ = 0.0; }  // after a jump
  void archive(Archive& a);

 private:
  enum class Kind { none, residual, linear, partitioned, hidden };
  void find_hidden(const Method& method);
  Outcome distance_to_hidden();  // of here_, into error_
  bool grown(double h) const;    // beyond what the last test says
  double surprise(const Interpolant& p, const Eigen::VectorXd& scale);
  double surprise_at_end(const State& end, const Eigen::VectorXd& scale, double h);
  double largest(const Eigen::VectorXd& scale, double h, int& worst);  // of error_
  Finding test_at(const Interpolant& p, const Eigen::VectorXd& scale, double theta);
  void slope(const Interpolant& p, double theta);
  Outcome defect(const Interpolant& p, double theta, Pencil*& pencil);
  Outcome rates(const Interpolant& p, double theta);

  System& system_;
  Measure& measure_;
  Kind view_ = Kind::none;
  bool always_ = false, predicted_ = false;
  int rest_ = 0, max_rest_ = 1;  // steps to leave out
  bool tests_ends_ = false;
  int end_rest_ = 0, end_pause_ = 0;  // the same of ends: still to leave out, and next time
  // z and lambda at the ends of the last steps, newest first.
  Eigen::MatrixXd ends_;
  Eigen::VectorXd end_times_;
  int ends_known_ = 0;
  double surprise_at_end_ = 0.0, usual_at_end_ = 0.0;
  Interpolant last_;  // of the step before; h = 0: none
  double surprise_ = 0.0, usual_ = 0.0;
  double verified_ = 0.0;  // length of the last step that passed
  std::unique_ptr<HalfExplicit> hidden_;
  bool by_differences_ = false;  // a leading term or a group: p' is no difference of coefficients
  State here_, before_, after_;
  Eigen::VectorXd w_, slope_, error_;  // slope_: with hidden_ y' there
};

}  // namespace daedalus
