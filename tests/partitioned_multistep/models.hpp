// SPDX-License-Identifier: BSD-3-Clause
// A multibody system with everything that index-2 methods have to carry, and an exact solution:
//   q = (x, y), q' = T(q) v, T = diag(1 + 0.2 x^2, 1), M = diag(2 + x, 1),
//   c' = -c + sin t + cos t + 0.2 (x - sin t),      s^3 + s = x,
//   0 = y - 0.3 x^2 - 0.1 sin 2t - 0.2 s,           forces that depend on c, v, t and lambda;
//   x = c = sin t, lambda = 1 + cos(t) / 2.
#pragma once

#include <daedalus/daedalus.hpp>

#include "lab/plmsm_study.hpp"

namespace daedalus::partitioned_multistep_test {

MultibodyProblem everything();
Eigen::VectorXd exact_everything(double t);  // x, y, v1, v2, c, s, lambda

// Observed orders of y and z on index2-p3 between 80 and 160 steps, exact start values.
struct Slopes {
  double y, z;
};
Slopes study_slopes(plmsm::StudyMethod method, int k, int correctors = 2);  // long double
Slopes quadruple_slopes(plmsm::StudyMethod method, int k);                  // 113 bits

}  // namespace daedalus::partitioned_multistep_test
