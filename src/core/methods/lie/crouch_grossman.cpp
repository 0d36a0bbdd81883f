// SPDX-License-Identifier: BSD-3-Clause
// Crouch-Grossman multistep methods with the Adams-Moulton formula for v, orders 1..4. Crouch,
// Grossman (1993); Wieloch (2022), (3.4) and section 3.1.1.
#include "methods/lie/engine_exponentials.hpp"
#include "methods/lie/engine_methods.hpp"

namespace daedalus::methods {
namespace {

template <int p>
const Method& crouch_grossman_order() {
  using namespace lie_methods;
  static const Method method = [] {
    Method m = fixed_step_method("crouch-grossman" + std::to_string(p), p,
                                 "Crouch, Grossman (1993); Wieloch (2022), section 3.1.1");
    m.max_index = 0;
    m.formulations = {"index3"};
    m.equal_steps_only = true;
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      return std::make_unique<Exponentials>(system, Exponentials::Kind::crouch_grossman, p,
                                            common_settings(settings));
    };
    return m;
  }();
  return method;
}

}  // namespace

const Method& crouch_grossman1();
const Method& crouch_grossman2();
const Method& crouch_grossman3();
const Method& crouch_grossman4();

const Method& crouch_grossman1() { return crouch_grossman_order<1>(); }
const Method& crouch_grossman2() { return crouch_grossman_order<2>(); }
const Method& crouch_grossman3() { return crouch_grossman_order<3>(); }
const Method& crouch_grossman4() { return crouch_grossman_order<4>(); }

}  // namespace daedalus::methods
