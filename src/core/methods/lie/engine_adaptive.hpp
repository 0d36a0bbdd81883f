// SPDX-License-Identifier: BSD-3-Clause
// BLieDF with variable steps and orders and error control.
//
// With position constraints the formula for q puts the normal part C l of its local error into
// v_{n+1}, and the balance differentiates what steps of different size and order have put there.
// Wieloch (2022), (5.30), removes the differences of these parts; summed by parts that is
//   (1/h) M sum_i alpha_i (v_{n+1-i} - C l_{n-i}) = f - G^T lambda.
// Here they are removed altogether: every velocity is projected to the velocity constraints as soon
// as it is known, which takes C l out of the past whatever its step and order were, and the new one
// enters the balance as v_{n+1} - C(q_n) l_n, with l_n from differences. Then steps and orders
// change freely, the velocities reported meet their constraints, and no start correction is needed.
// With the same factors lambda follows from the equations of motion at the new point: that of the
// balance carries the round-off of q times h^-2.
//
// The local error of q over h, l = h^k lbar, is an error of a velocity and is tested as one: the
// error of q is the integral of what the test sees, so that it follows the tolerance for every
// order, which a test of h l would not do (tol^(k/(k+1))).
#pragma once

#include <array>
#include <vector>

#include "lie/increment_series.hpp"
#include "methods/lie/engine.hpp"

namespace daedalus::lie_methods {

struct AdaptiveSettings {
  int max_order = 5;
  int order = 0;  // one for the whole run; 0: chosen
  int start_order = 4;
};

class AdaptiveBliedf final : public Engine {
 public:
  AdaptiveBliedf(System& system, const AdaptiveSettings& settings, Common common);
  static Common needs(const AdaptiveSettings& settings, Common common);
  Attempt attempt(const StepRequest& r) override;
  void archive(Archive& a) override {
    Engine::archive(a);
    a(normal_known_, normal_time_);
  }

 private:
  // The local error of one order on the grid it was last asked for.
  struct Level {
    explicit Level(const Space& space) : series(lie::Bracket(space)) {}
    lie::IncrementSeries series;
    lie::BdfFormula formula;
    std::array<double, max_steps + 1> ratio{};
    bool laid = false;
  };
  Outcome step(const StepRequest& r, Attempt& a) override;
  int values_needed(const StepRequest& r) const override;
  Outcome normal_at(double t, const double* x);
  Level& level(int k);  // on the grid of ratio_
  // A value of v on the grid, and of the state whose dynamic variables belong to it.
  struct Value {
    const double* v = nullptr;
    const Eigen::VectorXd* x = nullptr;
  };
  // derivatives_[j] = v^(j)(t_n) of the polynomial through `points` values at node_.
  void differentiate(int points, double h);
  void estimate(const StepRequest& r, int k, int points, Attempt& a);
  void estimate_start(const StepRequest& r, Attempt& a);
  void add_estimate(int order, double h);

  AdaptiveSettings settings_;
  AffineRelation relation_;
  std::vector<Level> levels_;                     // by order
  std::array<double, max_steps + 1> ratio_{1.0};  // h_{n-j} / h_n
  std::array<double, max_steps + 2> node_{};
  std::array<Value, max_steps + 2> values_{};
  lie::DifferenceWeights weights_;
  std::vector<Eigen::VectorXd> derivatives_;
  std::array<const double*, max_steps + 2> pointers_{};
  Eigen::VectorXd correction_, offset_, local_;
  double normal_time_ = 0.0;
  bool normal_known_ = false;
  std::array<Eigen::VectorXd, 3> errors_;
  std::array<Estimate, 3> estimates_;
  int estimate_count_ = 0;
};

}  // namespace daedalus::lie_methods
