// SPDX-License-Identifier: BSD-3-Clause
// Partitioned multistep methods of Adams type with k = 1, ..., 8 steps: Adams-Moulton for y, BDF
// for z; order k + 1 in y, k in z for every k, beyond the limits of BDF and of beta-blocking.
// Arnold (1998), Definition 8, Corollary 5, Remark 33, Algorithm 2.
#include "methods/partitioned_multistep/engine_methods.hpp"

namespace daedalus::methods {
namespace {

template <int k>
const Method& adams_type_steps() {
  using namespace partitioned_multistep;
  static const Method method =
      constant_formula("adams-type", k, Corrector::adams_moulton, AlgebraicRule::second_formula);
  return method;
}

}  // namespace

const Method& adams_type_1();
const Method& adams_type_2();
const Method& adams_type_3();
const Method& adams_type_4();
const Method& adams_type_5();
const Method& adams_type_6();
const Method& adams_type_7();
const Method& adams_type_8();

const Method& adams_type_1() { return adams_type_steps<1>(); }
const Method& adams_type_2() { return adams_type_steps<2>(); }
const Method& adams_type_3() { return adams_type_steps<3>(); }
const Method& adams_type_4() { return adams_type_steps<4>(); }
const Method& adams_type_5() { return adams_type_steps<5>(); }
const Method& adams_type_6() { return adams_type_steps<6>(); }
const Method& adams_type_7() { return adams_type_steps<7>(); }
const Method& adams_type_8() { return adams_type_steps<8>(); }

}  // namespace daedalus::methods
