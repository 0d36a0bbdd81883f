// SPDX-License-Identifier: BSD-3-Clause
// M(t, y) y' = f(t, y) with a changing M in the linear view; see ChangingMassMap. Rows with M_i = 0
// are kept by projection.
#pragma once

#include <Eigen/Cholesky>
#include <memory>

#include "formulation/first_order_maps.hpp"
#include "formulation/first_order_system.hpp"

namespace daedalus {

class ChangingMassSystem final : public FirstOrderSystem {
 public:
  // `layout` holds y; the rates are added. Throws InvalidArgument if M has dependent rows that are
  // not zero rows.
  static std::unique_ptr<ChangingMassSystem> make(std::shared_ptr<const MassMatrixProblem> problem,
                                                  Modes modes, Layout layout,
                                                  LoweringOptions options, double t0);

  double projection_residual(const State& s) override;
  ProjectionResult project(State& trial, const Eigen::VectorXd& weight, double threshold) override;
  bool has_projection() const override { return count_ > 0 || invariants; }

 private:
  ChangingMassSystem(std::shared_ptr<const MassMatrixProblem> problem, Modes modes, Layout layout,
                     std::unique_ptr<ChangingMassMap> rates_map, const std::vector<bool>& algebraic,
                     SparseMatrix mass, LoweringOptions options);
  Outcome algebraic_rows(double t, const double* y);  // g_ and, by dual numbers, g_y_

  std::shared_ptr<const MassMatrixProblem> problem_;
  ParameterSet parameters_;
  std::vector<int> rows_;
  int n_, count_;
  std::vector<Dual4> y_, out_;
  Eigen::VectorXd g_, move_;
  Eigen::MatrixXd g_y_, scaled_, normal_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace daedalus
