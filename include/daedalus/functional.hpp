// SPDX-License-Identifier: BSD-3-Clause
// Numbers that a state gives: terms of functionals (adjoint.hpp), conditions and results of
// ensembles (ensemble.hpp).
//
//   autodiff([](const auto& x, auto& J) { J[0] = x.q[1] + x.p[0]; })
#pragma once

#include <daedalus/function.hpp>

namespace daedalus {

// What a functional sees of the model variables; the vectors that a problem form has not are empty.
template <class S>
struct FunctionalPoint {
  S t;
  VectorView<S> y, z;                // first-order forms
  VectorView<S> q, v, lambda, c, s;  // multibody
  VectorView<S> p;                   // parameters that are inputs of the problem
  explicit FunctionalPoint(const Arguments<S>& a)
      : t(a.t),
        y(a.vector(0)),
        z(a.vector(1)),
        q(a.vector(0)),
        v(a.vector(1)),
        lambda(a.vector(2)),
        c(a.vector(3)),
        s(a.vector(4)),
        p(a.p, a.parameter_count) {}
};
namespace slot {
struct Functional {  // point form (x, J) only, J[0] is the value
  static constexpr Numbers numbers = Numbers::derivatives;
  template <class S>
  using Point = FunctionalPoint<S>;
  using Accepted = Forms<>;
  static constexpr bool matrix = false;
};
}  // namespace slot

}  // namespace daedalus
