// SPDX-License-Identifier: BSD-3-Clause
// Munthe-Kaas BDF of k = 1..6 steps: BDF in canonical coordinates with truncated series. Wieloch
// (2022), (3.23) and, with constraints, (3.57).
#include "methods/lie/engine_methods.hpp"
#include "methods/lie/engine_munthe_kaas.hpp"

namespace daedalus::methods {
namespace {

template <int p>
const Method& mkbdf_order() {
  using namespace lie_methods;
  static const Method method = [] {
    Method m =
        fixed_step_method("mkbdf" + std::to_string(p), p, "Wieloch (2022), (3.23) and (3.57)");
    m.options.push_back(start_option());
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      return std::make_unique<MuntheKaas>(system, MuntheKaas::Kind::bdf, p,
                                          whole(settings, "start", 0, 1) == 1,
                                          common_settings(settings));
    };
    return m;
  }();
  return method;
}

}  // namespace

const Method& mkbdf1();
const Method& mkbdf2();
const Method& mkbdf3();
const Method& mkbdf4();
const Method& mkbdf5();
const Method& mkbdf6();

const Method& mkbdf1() { return mkbdf_order<1>(); }
const Method& mkbdf2() { return mkbdf_order<2>(); }
const Method& mkbdf3() { return mkbdf_order<3>(); }
const Method& mkbdf4() { return mkbdf_order<4>(); }
const Method& mkbdf5() { return mkbdf_order<5>(); }
const Method& mkbdf6() { return mkbdf_order<6>(); }

}  // namespace daedalus::methods
