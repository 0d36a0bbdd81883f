// SPDX-License-Identifier: BSD-3-Clause
// Linear multistep methods in canonical coordinates of the second last point, q = q_n o exp(w):
//   sum_i alpha_i omega_i = h sum_i beta_i dexpinv_p(-omega_i, v_{n+1-i}),   omega_0 = w,
// the past omega_i carried on by the truncated formula of Baker, Campbell and Hausdorff,
// omega_i^(n) = BCH_p(-omega_0^(n-1), omega_{i-1}^(n-1)); v by the same formula. Wieloch (2022),
// (3.14); BDF: (3.23), (3.57). The start values enter by the same recursion: for k >= 5 any other
// nesting changes the truncation error of the first steps and costs an order in lambda.
#pragma once

#include <vector>

#include "lie/increment_series.hpp"
#include "methods/lie/engine.hpp"

namespace daedalus::lie_methods {

class MuntheKaas final : public Engine, private KinematicRelation {
 public:
  enum class Kind { bdf, adams_moulton };
  // corrected: velocities of the start get the normal part of the local error.
  MuntheKaas(System& system, Kind kind, int order, bool corrected, Common common);
  static Common needs(Kind kind, int order, Common common);
  void archive(Archive& a) override;

 private:
  Outcome step(const StepRequest& r, Attempt& a) override;
  void begun() override;
  void committed() override;
  Outcome correct_start(const StepRequest& r);
  void residual(const double* w, const double* v, double* r) override;
  void derivatives(const double* w, const double* v, ElementMatrices& by_w,
                   ElementMatrices& by_v) override;

  Kind kind_;
  int order_, steps_;
  bool corrected_, pending_ = false;
  lie::Series series_;
  std::vector<Eigen::VectorXd> relative_;  // omega_i of the step to come, i = 1..
  Eigen::VectorXd delta_, remainder_, image_, minus_;
  double factor_ = 0.0;  // alpha_0 / (h beta_0)
};

}  // namespace daedalus::lie_methods
