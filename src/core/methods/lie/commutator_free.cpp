// SPDX-License-Identifier: BSD-3-Clause
// Commutator-free multistep methods with the Adams-Moulton formula for v, orders 1..4. Celledoni,
// Marthinsen, Owren (2003); Wieloch (2022), (3.7) and section 3.1.2.
#include "methods/lie/engine_exponentials.hpp"
#include "methods/lie/engine_methods.hpp"

namespace daedalus::methods {
namespace {

template <int p>
const Method& commutator_free_order() {
  using namespace lie_methods;
  static const Method method = [] {
    Method m =
        fixed_step_method("commutator-free" + std::to_string(p), p,
                          "Celledoni, Marthinsen, Owren (2003); Wieloch (2022), section 3.1.2");
    m.max_index = 0;
    m.formulations = {"index3"};
    m.equal_steps_only = true;
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      return std::make_unique<Exponentials>(system, Exponentials::Kind::commutator_free, p,
                                            common_settings(settings));
    };
    return m;
  }();
  return method;
}

}  // namespace

const Method& commutator_free1();
const Method& commutator_free2();
const Method& commutator_free3();
const Method& commutator_free4();

const Method& commutator_free1() { return commutator_free_order<1>(); }
const Method& commutator_free2() { return commutator_free_order<2>(); }
const Method& commutator_free3() { return commutator_free_order<3>(); }
const Method& commutator_free4() { return commutator_free_order<4>(); }

}  // namespace daedalus::methods
