// SPDX-License-Identifier: BSD-3-Clause
// The adjoint equations as a problem of the library, M u' = A(t) u + b(t) with constant M:
//   E constant:  u = l,       E^T l' = J^T l - phi_x^T;
//   else:        u = (L, l),  L' = J^T l - phi_x^T and 0 = L - E^T l on the differentiated
//                variables, 0 = J^T l - phi_x^T on the others; it inherits stability (Cao, Li,
//                Petzold, Serban, SIAM J. Sci. Comput. 24 (2003) 1076).
#pragma once

#include <memory>

#include "estimation/along_run.hpp"

namespace daedalus {

class BackwardProblem {
 public:
  // index: 1, or 2 of a Hessenberg form.
  BackwardProblem(AlongRun& run, const LinearPoint& sample, int index);
  // The problem that starts with l.
  Problem with_start(const LinearPoint& p, const Eigen::VectorXd& l) const;
  // l of a state of that problem.
  Eigen::VectorXd adjoint_variables(const Eigen::VectorXd& u) const { return u.tail(size_); }

 private:
  AlongRun& run_;
  int size_, extra_;        // lengths of l and of L
  std::vector<int> place_;  // in L of each variable, -1: none
  MassMatrixProblem problem_;
};

}  // namespace daedalus
