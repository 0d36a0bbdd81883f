// SPDX-License-Identifier: BSD-3-Clause
// Powers of the step size in the estimates of Rosenbrock-Wanner methods.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus {

ClassOrders estimate_powers(const Method& m, const RosenbrockTraits& traits) {
  const int usual = m.error_order + 1;
  const ClassOrders all =
      ClassOrders::all(traits.differential_power > 0 ? traits.differential_power : usual);
  if (traits.algebraic_power == 0) return all;
  ClassOrders powers = all;
  for (const VariableClass c : {VariableClass::z, VariableClass::lambda, VariableClass::eta,
                                VariableClass::s, VariableClass::a})
    powers = powers.with(c, traits.algebraic_power);
  return powers;
}

}  // namespace daedalus
