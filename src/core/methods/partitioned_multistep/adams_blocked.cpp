// SPDX-License-Identifier: BSD-3-Clause
// beta-blocked Adams-Moulton methods with k = 1, 2, 3 steps, more are unstable: order k + 1 in y, k
// in z. Arevalo, Fuehrer, Soederlind (1996); Arnold (1998), (3.88), Corollary 4.
#include "methods/partitioned_multistep/engine_methods.hpp"

namespace daedalus::methods {
namespace {

template <int k>
const Method& adams_blocked_steps() {
  using namespace partitioned_multistep;
  static const Method method =
      constant_formula("adams-blocked", k, Corrector::adams_moulton, AlgebraicRule::blocking);
  return method;
}

}  // namespace

const Method& adams_blocked_1();
const Method& adams_blocked_2();
const Method& adams_blocked_3();

const Method& adams_blocked_1() { return adams_blocked_steps<1>(); }
const Method& adams_blocked_2() { return adams_blocked_steps<2>(); }
const Method& adams_blocked_3() { return adams_blocked_steps<3>(); }

}  // namespace daedalus::methods
