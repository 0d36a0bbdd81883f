// SPDX-License-Identifier: BSD-3-Clause
// The linear variational equations of F(t, x, x', p) = 0,
//   F_x' (s' + [x', s]) + F_x s + F_p = 0,
// at points of a solution: a system of its own, lowered from the problem with seeded parameters.
// The bracket is that of the group on which x lives (none in R^n): columns are left-trivialised as
// velocities are.
#pragma once

#include <memory>
#include <string>

#include "formulation/first_order_system.hpp"
#include "sensitivity/seeded.hpp"

namespace daedalus {

class ColumnEquations {
 public:
  ColumnEquations(std::shared_ptr<const Problem> problem, const Asked& asked,
                  const std::string& formulation, const LoweringOptions& lowering, double t0);

  System& system() { return *system_; }
  const Layout& layout() const { return system_->layout; }
  int size() const { return system_->layout.tangents(); }
  bool differentiable() const { return differentiable_; }
  Pencil& pencil() { return view_->residual_pencil(); }
  Outcome linearise(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& xd) {
    return view_->linearise(t, x.data(), xd.data());
  }
  // F_p, one column per parameter asked for.
  Outcome by_parameters(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& xd,
                        Eigen::MatrixXd& out);
  long directional_evaluations() const { return evaluations_; }
  // The problem the system was lowered from, without seeds.
  const Problem& problem() const { return *problem_; }
  const std::string& formulation() const { return formulation_; }
  const LoweringOptions& lowering() const { return lowering_; }

 private:
  Outcome by_duals(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& xd,
                   Eigen::MatrixXd& out);
  Outcome by_differences(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& xd,
                         Eigen::MatrixXd& out);

  std::shared_ptr<const Problem> problem_;
  const Asked& asked_;
  std::string formulation_;
  LoweringOptions lowering_;
  std::shared_ptr<Seeds> seeds_;
  std::unique_ptr<System> system_;
  ResidualView* view_;
  VectorMap* map_;
  bool differentiable_;
  long evaluations_ = 0;
  std::vector<Dual4> x_, xd_, r_;
  Eigen::VectorXd upper_, lower_;
  // Of callables that are not generic and have parameters inside: systems for values nearby.
  std::vector<std::array<std::unique_ptr<System>, 2>> near_;
};

}  // namespace daedalus
