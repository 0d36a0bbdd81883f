// SPDX-License-Identifier: BSD-3-Clause
// Matrix-free solution of the linear systems of implicit methods: (alpha E + J) x = r with
// E = dF/dx' and J = dF/dx of F(t, x, x') = 0 (of M x' = f: E = M, J = -df/dx). No matrix is
// formed: products come from automatic differentiation, and GMRES (Saad, Schultz 1986) with a
// preconditioner of the user does the rest.
#pragma once

#include <functional>

#include <daedalus/types.hpp>

namespace daedalus {

// Where the matrix belongs to: variables in the coordinates of the system that is solved, which
// begin with those of the model.
struct PreconditionerSite {
  double t;
  In x, xd;
  double alpha;
};

// An approximation P of alpha E + J. Both callables are called from one run at a time; what they
// share they own together. Without `apply` there is no preconditioner: P = I.
struct Preconditioner {
  // The matrix is another one now. false: none can be made here, the step is tried smaller.
  std::function<bool(const PreconditionerSite& site)> update{};
  // x = P^-1 r, the same linear map of r until the next update.
  std::function<void(In r, Out x)> apply{};
};

struct KrylovOptions {
  int dimension = 40;      // directions before GMRES starts again
  int iterations = 200;    // products at most in one solve
  double tolerance = 0.0;  // of P^-1 (r - A x) in the error scale, as part of P^-1 r; 0: chosen
  Preconditioner preconditioner{};
};

}  // namespace daedalus
