// SPDX-License-Identifier: BSD-3-Clause
// Which part of an error in variables of index 2 the equations of an index-3 system carry on.
// In y' = f(y, z), z' = k(y, z, u), 0 = g(y), of which q' = v, M v' = ... - G^T lambda, 0 = g(q) is
// one, z has components that the constraint fixes in every step anew, g_y f_z z, where an error e
// of one step enters y as h e and is gone. All other components are differential: their errors stay
// and act on y for the rest of the run, and an error test that sees h e of them accepts steps whose
// errors add up to tolerance / h. With the matrix of the step and e in the places of z alone,
//   (alpha E + J) d = alpha E e
// gives alpha d_y = f_y d_y + f_z d_z, g_y d_y = 0: d_z is e without the fixed components up to
// O(h), and damped where the equations are stiff (the filter of Hairer, Wanner II, (IV.8.20)).
#pragma once

#include <Eigen/Core>

#include "system/system.hpp"

namespace daedalus {

class CarriedError {
 public:
  explicit CarriedError(System& system);
  // False: an index below 3, and nothing to do.
  bool needed() const { return needed_; }
  // With the factors at hand; `part` is zero outside the variables of index 2.
  void find(const Eigen::VectorXd& error, Eigen::VectorXd& part);

 private:
  System& system_;
  bool needed_ = false;
  Eigen::VectorXd selected_;
};

}  // namespace daedalus
