// SPDX-License-Identifier: BSD-3-Clause
// Rows r(x) = 0 over some coordinates of the start values, for the damped Gauss-Newton method: the
// shortest correction, measured by a scale, that makes them or their sum of squares vanish to first
// order.
#pragma once

#include "nonlinear/damped_newton.hpp"
#include "start/least_change.hpp"

namespace daedalus {

class RowEquations final : public DampedEquations {
 public:
  // weight: of the columns. scale: a change is scale * y with the shortest y.
  RowEquations(System& system, State& s, const StartRows& rows, int row_count,
               std::vector<int> columns, const Eigen::VectorXd& weight, Eigen::MatrixXd scale);
  // Rows count in these units; without them in what a change within tolerance does, plus floor.
  void set_units(const Eigen::VectorXd& unit) { unit_ = unit, given_units_ = true; }
  void set_floor(const Eigen::VectorXd& floor) { floor_ = floor; }

  Outcome evaluate() { return rows_(s_, r_); }
  const Eigen::VectorXd& rows() const { return r_; }
  // What a change within tolerance did to the rows at the last linearisation.
  Eigen::VectorXd effect() const { return effect_; }

  Outcome linearise() override;
  double length() const override { return change_.cwiseQuotient(weight_).norm(); }
  double remainder() override { return r_.cwiseQuotient(unit_).norm(); }
  Outcome move(double damping) override;
  bool negligible() const override;

 private:
  System& system_;
  State& s_;
  const StartRows& rows_;
  std::vector<int> columns_;
  Eigen::VectorXd weight_;
  Eigen::MatrixXd scale_, J_;
  Eigen::VectorXd r_, unit_, floor_, effect_, change_, before_, step_;
  bool given_units_ = false;
};

}  // namespace daedalus
