// SPDX-License-Identifier: BSD-3-Clause
// The general Munthe-Kaas multistep form with the Adams-Moulton formulas of orders 1..4, for
// unconstrained systems. Wieloch (2022), (2.17) and (3.14).
#include "methods/lie/engine_methods.hpp"
#include "methods/lie/engine_munthe_kaas.hpp"

namespace daedalus::methods {
namespace {

template <int p>
const Method& munthe_kaas_adams_order() {
  using namespace lie_methods;
  static const Method method = [] {
    Method m =
        fixed_step_method("munthe-kaas-adams" + std::to_string(p), p, "Wieloch (2022), (3.14)");
    m.max_index = 0;
    m.formulations = {"index3"};
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      return std::make_unique<MuntheKaas>(system, MuntheKaas::Kind::adams_moulton, p, false,
                                          common_settings(settings));
    };
    return m;
  }();
  return method;
}

}  // namespace

const Method& munthe_kaas_adams1();
const Method& munthe_kaas_adams2();
const Method& munthe_kaas_adams3();
const Method& munthe_kaas_adams4();

const Method& munthe_kaas_adams1() { return munthe_kaas_adams_order<1>(); }
const Method& munthe_kaas_adams2() { return munthe_kaas_adams_order<2>(); }
const Method& munthe_kaas_adams3() { return munthe_kaas_adams_order<3>(); }
const Method& munthe_kaas_adams4() { return munthe_kaas_adams_order<4>(); }

}  // namespace daedalus::methods
