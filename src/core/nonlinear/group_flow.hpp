// SPDX-License-Identifier: BSD-3-Clause
// The flow of the underlying ordinary differential equation of a multibody system, q' = v, v' from
// the equations of motion and the constraints at acceleration level, c' = d: start values of
// multistep methods that are exact compared with the method (Wieloch 2022, remark 9).
//
// Extrapolation of the explicit midpoint rule (Gragg, Bulirsch, Stoer; Hairer, Noersett, Wanner I,
// section II.9) in canonical coordinates at the start of each piece, w' = T(w)^{-1} v. Pieces are
// halved until the last two diagonal entries of the scheme agree.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "nonlinear/half_explicit.hpp"

namespace daedalus {

class GroupFlow {
 public:
  explicit GroupFlow(System& system);
  // `to` at t, on the constraints, with lambda and rates; `weight`: the error allowed.
  Outcome advance(const State& from, double t, const Eigen::VectorXd& weight, State& to);
  // lambda of s from the acceleration constraint, and the rates of q, v and c.
  Outcome complete(State& s);

 private:
  static constexpr int columns = 6;  // order 12, 2 + 4 + ... + 12 evaluations
  Outcome piece(const State& from, double h, double* error);
  Outcome midpoint(double t, double h, int parts, Eigen::VectorXd& result);
  Outcome rate(double t, const Eigen::VectorXd& y);

  System& system_;
  std::unique_ptr<HalfExplicit> half_;
  int ny_;
  State base_, point_, target_;
  Eigen::VectorXd rate_, before_, now_, next_, weight_;
  std::vector<Eigen::VectorXd> table_;
};

}  // namespace daedalus
