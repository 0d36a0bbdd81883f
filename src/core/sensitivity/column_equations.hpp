// SPDX-License-Identifier: BSD-3-Clause
// The linear variational equations of F(t, x, x', p) = 0,
//   F_x' (s' + [x', s]) + F_x s + F_p = 0,
// at points of a solution: a system of its own, lowered from the problem with seeded parameters.
// The bracket is that of the group on which x lives (none in R^n): columns are left-trivialised as
// velocities are.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "formulation/first_order_system.hpp"
#include "linalg/sparse_pattern.hpp"
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
  // F_p, one column per parameter asked for: values in the order of the structure, which may grow
  // from call to call.
  Outcome by_parameters(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& xd);
  const SparseValues& parameter_slopes() const { return F_p_; }
  long directional_evaluations() const { return evaluations_; }
  // The problem the system was lowered from, without seeds.
  const Problem& problem() const { return *problem_; }
  const std::string& formulation() const { return formulation_; }
  const LoweringOptions& lowering() const { return lowering_; }

 private:
  // Of F_p (column_parameters.cpp).
  struct Source {
    int row;
    std::size_t lane;
    int place;  // among the values
  };
  // What one evaluation over dual numbers gives.
  struct Chunk {
    std::vector<Seed> seeds;
    std::vector<Source> sources;
  };
  Outcome by_duals(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& xd);
  Outcome by_differences(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& xd);
  Outcome dual(double t, const std::vector<Seed>& seeds);
  SparsePattern find_structure(double t);
  void follow(const SparsePattern& structure);
  void plan(const SparsePattern& structure);
  std::optional<SparsePattern> missing(double t);

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
  SparseValues F_p_;
  std::vector<Chunk> chunks_;
  std::vector<double> weight_;  // of each entry in the comparison
  // Entries per row by parameters that are inputs, and how many of these there are.
  std::vector<int> of_inputs_;
  int inputs_ = 0;
  std::size_t check_lane_ = 0;  // of the last chunk: a direction of all parameters
  bool full_ = false;           // every parameter stands in every row
  Eigen::VectorXd sum_, size_;
  Eigen::VectorXd upper_, lower_;
  // Of callables that are not generic and have parameters inside: systems for values nearby.
  std::vector<std::array<std::unique_ptr<System>, 2>> near_;
};

}  // namespace daedalus
