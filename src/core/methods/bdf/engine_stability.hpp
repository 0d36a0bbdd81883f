// SPDX-License-Identifier: BSD-3-Clause
// The stability limit of orders 3 to 5. BDF of these orders are unstable for undamped oscillations
// that the steps do not resolve (h omega up to 2, 5 and 9); these grow until the error test sees
// them and then hold the step where their growth ends, however smooth the solution is. Orders 1 and
// 2 damp them.
//
// What tells such steps: corrections of a resolved solution change little from step to step, those
// of an unresolved oscillation turn by h omega. Where they do so for some time order 2 is tried. If
// the steps get clearly longer it stays for a while, otherwise the higher orders come back and are
// left alone for a while; both times double.
#pragma once

#include <Eigen/Core>

#include <daedalus/stepper/archive.hpp>

namespace daedalus::bdf {

class StabilityWatch {
 public:
  StabilityWatch(int variables, bool active) : able_(active), active_(active) {
    if (!active) return;
    now_.setZero(variables);
    last_.setZero(variables);
  }
  // prescribed: steps and orders are given, and nothing is to be chosen.
  void start(bool prescribed = false);
  // Highest order allowed, of the given one.
  int limit(int highest) const;
  // The correction of a step that succeeded, in units of the error scale; rejected ones leave no
  // trace.
  void observe(int order, double h, const Eigen::VectorXd& correction,
               const Eigen::VectorXd& weight);
  void accepted();
  void archive(Archive& a);

 private:
  enum Phase : int { watching, trying, holding, resting };
  void watch();
  void enter(Phase phase, int steps);

  bool able_, active_;
  int phase_ = watching;
  int left_ = 0;  // accepted steps of this phase
  int hold_ = 0, rest_ = 0;
  int seen_ = 0;          // comparisons in a row
  double turning_ = 1.0;  // running mean of the cosine between successive corrections
  double before_ = 0.0;   // step size at the trial
  int order_ = 0, last_order_ = 0;
  double h_ = 0.0, last_h_ = 0.0;
  Eigen::VectorXd now_, last_;
};

}  // namespace daedalus::bdf
