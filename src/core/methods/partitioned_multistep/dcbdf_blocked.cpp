// SPDX-License-Identifier: BSD-3-Clause
// beta-blocked difference corrected BDF with k = 1, ..., 6 steps: sigma = xi^k - (xi - 1)^k / (k +
// 1) blocked to sigmahat = xi^k; order k + 1 in y, k in z. Soederlind (1989); Arevalo, Fuehrer,
// Soederlind (1996); Arnold (1998), (3.88), Corollary 4.
#include "methods/partitioned_multistep/engine_methods.hpp"

namespace daedalus::methods {
namespace {

template <int k>
const Method& dcbdf_blocked_steps() {
  using namespace partitioned_multistep;
  static const Method method = constant_formula(
      "dcbdf-blocked", k, Corrector::difference_corrected_bdf, AlgebraicRule::blocking);
  return method;
}

}  // namespace

const Method& dcbdf_blocked_1();
const Method& dcbdf_blocked_2();
const Method& dcbdf_blocked_3();
const Method& dcbdf_blocked_4();
const Method& dcbdf_blocked_5();
const Method& dcbdf_blocked_6();

const Method& dcbdf_blocked_1() { return dcbdf_blocked_steps<1>(); }
const Method& dcbdf_blocked_2() { return dcbdf_blocked_steps<2>(); }
const Method& dcbdf_blocked_3() { return dcbdf_blocked_steps<3>(); }
const Method& dcbdf_blocked_4() { return dcbdf_blocked_steps<4>(); }
const Method& dcbdf_blocked_5() { return dcbdf_blocked_steps<5>(); }
const Method& dcbdf_blocked_6() { return dcbdf_blocked_steps<6>(); }

}  // namespace daedalus::methods
