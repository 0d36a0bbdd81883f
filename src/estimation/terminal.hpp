// SPDX-License-Identifier: BSD-3-Clause
// Adjoint variables at the end of a part of the run, consistent with the adjoint equations, for a
// functional with derivative psi_x there:
//   psi_x s = l^T E s + what does not depend on s,
// which is the case for every s that satisfies the equations at that time.
#pragma once

#include <Eigen/Core>

#include "estimation/along_run.hpp"

namespace daedalus {

struct Terminal {
  Eigen::VectorXd l;
  // Adds the part of psi_x s that the equations give at once.
  Eigen::VectorXd by_parameters;
};

// Index 0 and 1: with E^T mu = 0, psi_x^T = E^T l + J^T mu on the differentiated variables and
// J^T mu = psi_x^T on the others; there, J^T l = phi_x^T.
Terminal terminal_of_index_1(AlongRun& run, const LinearPoint& p, const Eigen::VectorXd& psi_x);

// Hessenberg form of index 2: E^T l = psi~^T - g_y^T nu, where nu makes f_z^T l = phi_z^T hold;
// psi~ has the algebraic part of psi_x expressed by the others. step: a length of time over which
// the solution changes little, for derivatives along it.
Terminal terminal_of_index_2(AlongRun& run, const LinearPoint& p, const Eigen::VectorXd& psi_x,
                             double step);

}  // namespace daedalus
