// SPDX-License-Identifier: BSD-3-Clause
// v' from the equations of motion with given multipliers, M v' = f(t, q, v, lambda) - G^T lambda:
// what beta-blocking needs, since only lambda may be blocked (blocking v' as well costs an order).
// M has to be regular.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "linalg/saddle_solver.hpp"
#include "system/archive_pivots.hpp"
#include "system/mechanical_view.hpp"
#include "system/system.hpp"

namespace daedalus::partitioned_multistep {

class Motion {
 public:
  explicit Motion(System& system);
  Outcome solve(double t, const double* x, double* v_rate);
  void archive(Archive& a) { archive_pivots(a, *solver_); }

 private:
  MechanicalView& view_;
  Counter& counter_;
  PieceMatrix M_, G_, none_;
  std::unique_ptr<SaddleSolver> solver_;
  Eigen::VectorXd rhs_;
};

}  // namespace daedalus::partitioned_multistep
