// SPDX-License-Identifier: BSD-3-Clause
// Checks the axioms a configuration space has to satisfy, at |w| = 0, 1e-8, 1e-4, 0.5 and close to
// the radius within which (-) is unique. With [a, b] the bracket, e the identity, T the tangent
// operator, x, y, z points and a, b, v, w tangent vectors:
//   zero              x (+) 0 = x                    inverse       (x (+) w) (-) x = w
//   difference        x (+) (y (-) x) = y            opposite      (x (+) w) (+) (-w) = x
//   identity          T(0)^{-1} v = v                self          T(u)^{-1} u = u
//   tangent           T(u)^{-1} v = d/ds [((x (+) u) (+) s v) (-) x] at s = 0, by differences
// and where the operations of a group are given
//   associativity     (x y) z = x (y z)              neutral       e x = x = x e
//   group inverse     x^{-1} x = e = x x^{-1}        exponential   x (+) w = x exp(w)
//   one-parameter     exp(s w) exp(t w) = exp((s + t) w)           logarithm     log(exp(w)) = w
//   antisymmetry      [a, b] = -[b, a]               jacobi        [w,[a,b]] + [a,[b,w]] +
//   [b,[w,a]] = 0 adjoint           x exp(w) x^{-1} = exp(Ad(x) w), Ad(x y) = Ad(x) Ad(y) adjoint
//   series    Ad(exp(w)) v = sum_i hat(w)^i v / i! tangent series    T(w) v = sum_i (-hat(w))^i v /
//   (i + 1)!      (Wieloch 2022, (2.36)) tangent rate      T(w) v = d/ds [exp(w + s v) (-) exp(w)]
//   at s = 0, by differences tangent opposite  T(-w) v = Ad(exp(w)) T(w) v    tangent pair
//   T(w)^{-1} T(w) v = v tangent slope, tangent inverse slope: the derivatives of T(w) a, T(w)^{-1}
//   a, by differences structure         DT(w)[b] a - DT(w)[a] b = [T(w) a, T(w) b]
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <daedalus/space.hpp>

namespace daedalus::testing {

// The operations of a space as functions, so that any implementation can be checked; arrays have
// the sizes that class Space documents. `plus`, `minus` and `tangent_inverse` are required, every
// other operation may be left empty, and with it the axioms that need it.
struct GroupOperations {
  std::string name{};
  int points = 0, tangents = 0;
  std::vector<double> origin{};  // any point of the space; in a group the identity
  double radius = 1.0;           // (x (+) w) (-) x = w is promised for |w| below this
  // Sizes of pieces of the tangent vectors, each given the length |w|, so that every rotation of a
  // product comes close to the radius; empty: one piece.
  std::vector<int> pieces{};
  using Operation = std::function<void(const double*, const double*, double*)>;
  Operation plus{};                                             // x, w, out
  Operation minus{};                                            // from, to, w
  Operation tangent_inverse{};                                  // u, v, T(u)^{-1} v
  Operation compose{};                                          // x, y, x y
  std::function<void(const double* x, double* out)> inverse{};  // x^{-1}
  std::function<void(const double* w, double* x)> exp{};        // exp(w)
  std::function<void(const double* x, double* w)> log{};        // log(x)
  Operation bracket{};                                          // a, b, [a, b]
  Operation adjoint{};                                          // x, v, Ad(x) v
  Operation tangent{};                                          // u, v, T(u) v
  using Derivative = std::function<void(const double*, const double*, const double*, double*)>;
  Derivative tangent_derivative{};          // w, a, b, (d/dw T(w) a) b
  Derivative tangent_inverse_derivative{};  // w, a, b, (d/dw T(w)^{-1} a) b
};
GroupOperations operations_of(const Space& space);

struct GroupAxiom {
  std::string name;    // as above
  double error = 0.0;  // largest |difference| over all points and directions
  double size = 0.0;   // |w| where it occurred
  double allowed = 0.0;
};

struct GroupReport {
  bool ok = true;
  std::vector<GroupAxiom> axioms;
  // A sentence that names the axiom violated most, and the others that are violated.
  std::string text() const;
};

// `tolerance` bounds the algebraic axioms; differences are good to about 1e-9, so the axioms that
// use them are allowed `difference_tolerance`.
GroupReport check_group(const GroupOperations& space, double tolerance = 1e-12,
                        double difference_tolerance = 1e-7);
GroupReport check_group(const Space& space, double tolerance = 1e-12,
                        double difference_tolerance = 1e-7);

}  // namespace daedalus::testing
