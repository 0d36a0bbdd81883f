// SPDX-License-Identifier: BSD-3-Clause
// The split of velocities at a point of a constrained mechanical system,
//   C = M^{-1} G^T (G M^{-1} G^T)^{-1} G,   P = I - C,
// G P = 0, and the projection of v to G v + g_t = 0 along M^{-1} G^T (Wieloch 2022, section 2.4).
#pragma once

#include <Eigen/Core>
#include <memory>

#include "system/archive_pivots.hpp"
#include "system/mechanical_view.hpp"
#include "system/system.hpp"

namespace daedalus {

class NormalSpace {
 public:
  explicit NormalSpace(System& system);
  // At the point of the state with coordinates x. Without constraints there is nothing to do.
  Outcome factorise(double t, const double* x);
  // out = C w; out may be w.
  void component(const double* w, double* out);
  // v of the point moves to the velocity constraints.
  Outcome project(double t, double* x);
  // lambda of the point and v' from the equations of motion and the constraints at acceleration
  // level: as accurate as q and v are, where differences of q carry round-off times h^-2. Forces
  // must not depend on lambda.
  Outcome multipliers(double t, double* x, double* rate);
  // With the matrix of the last factorise, which may serve longer than its point exists.
  void archive(Archive& a);

 private:
  System& system_;
  MechanicalView& view_;
  int nv_, nl_;
  bool factorised_ = false;
  std::unique_ptr<SaddleSolver> solver_;
  PieceMatrix mass_, G_;
  Eigen::VectorXd rhs_;
};

}  // namespace daedalus
