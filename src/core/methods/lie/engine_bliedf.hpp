// SPDX-License-Identifier: BSD-3-Clause
// BLieDF of k steps (Wieloch 2022, (3.31), (3.62); variable steps (5.35)):
//   q_{n+1} = q_n o exp(omega^(n)),  (1/h) sum_{i=1..k} gamma_i omega^(n+1-i) = v_{n+1} + L,
//   (1/h) M (alpha_0 v_{n+1} + sum_{i=1..k} alpha_i vbar_{n+1-i}) = f - G^T lambda.
// L removes the brackets from the local error l. On equal steps it is given by a set of parameters,
// otherwise by differences on the grid. With position constraints v carries the normal part of l:
// start values get it too, and when the step changes vbar_{n+1-i} = v_{n+1-i}
// - gamma_i / alpha_i C(q_{n+1-i}) (l_{n+1-i} - l_{n-i}) (5.30); without either lambda loses an
// order.
#pragma once

#include <memory>
#include <vector>

#include "lie/increment_series.hpp"
#include "methods/lie/engine.hpp"

namespace daedalus::lie_methods {

struct BliedfSettings {
  int k = 1;
  lie::CorrectionSet set{};
  bool always_variable = false;  // formulas of variable steps even on equal ones
  bool corrected_start = true;
  // Derivatives in l: 0 no correction of velocities, 1 from P v, 2 from v as printed.
  int modification = 1;
};

class Bliedf final : public Engine, private KinematicRelation {
 public:
  Bliedf(System& system, const BliedfSettings& settings, Common common);
  static Common needs(int k, Common common);
  void archive(Archive& a) override;

 private:
  Outcome step(const StepRequest& r, Attempt& a) override;
  void begun() override;
  void committed() override;
  Outcome correct_start(const StepRequest& r);
  Outcome modify_velocities(const lie::BdfFormula& formula);
  void lay_steps(const StepRequest& r);
  bool equal_steps(const StepRequest& r) const;  // of the formula
  void use(const lie::BdfFormula& formula, bool by_set);
  void residual(const double* w, const double* v, double* r) override;
  void derivatives(const double* w, const double* v, ElementMatrices& by_w,
                   ElementMatrices& by_v) override;

  BliedfSettings settings_;
  int k_;
  bool pending_ = false;
  lie::CorrectionTerm term_;
  lie::IncrementSeries series_;
  lie::BdfFormula formula_;
  bool implicit_ = false;
  bool used_set_ = false;
  std::vector<double> steps_;  // h_n, h_{n-1}, ...: as far back as local errors reach
  Eigen::VectorXd delta_, remainder_, correction_, work_;
  std::vector<Eigen::VectorXd> velocities_, projected_, derivatives_, errors_;
  double factor_ = 0.0;
};

}  // namespace daedalus::lie_methods
