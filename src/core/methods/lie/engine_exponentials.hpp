// SPDX-License-Identifier: BSD-3-Clause
// Multistep methods that move q by products of exponentials of past and new velocities, and v by
// the Adams-Moulton formula (unconstrained systems):
//   Crouch-Grossman    q_{n+1} = q_n o prod_j prod_i exp(h beta_i^j v_{n+1-i})        (3.4)
//   commutator-free    q_{n+1} = q_n o prod_j exp(h sum_i beta_i^j v_{n+1-i})         (3.7)
// Wieloch (2022), sections 3.1.1 and 3.1.2. v_{n+1} occurs in the last factor alone.
#pragma once

#include <daedalus/lie/multistep.hpp>

#include "methods/lie/engine.hpp"

namespace daedalus::lie_methods {

class Exponentials final : public Engine {
 public:
  enum class Kind { crouch_grossman, commutator_free };
  Exponentials(System& system, Kind kind, int order, Common common);
  static Common needs(int order, Common common);

 private:
  Outcome step(const StepRequest& r, Attempt& a) override;
  int values_usable(const StepRequest& r) const override;     // behind equal steps
  void sum(int block, double h, Eigen::VectorXd& out) const;  // of past velocities

  Kind kind_;
  const lie::ExponentialFormula& formula_;
  AffineRelation relation_;
  Eigen::VectorXd base_, factor_;
};

}  // namespace daedalus::lie_methods
