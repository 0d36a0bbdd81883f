// SPDX-License-Identifier: BSD-3-Clause
// Radau IIA with three stages, order 5. Hairer, Wanner (1996), section IV.8.
#include "methods/radau/engine.hpp"

namespace daedalus::methods {

const Method& radau5();
const Method& radau5() {
  static const Method method = [] {
    Method m = radau::standard_method();
    m.name = "radau5";
    m.reference = "Hairer, Wanner (1996), sections IV.8, VII.4; Hairer, Lubich, Roche (1989)";
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      const auto all = [&](std::string_view key) {
        return key == "order" || key == "max_order" ? 5.0 : settings(key);
      };
      return std::make_unique<radau::RadauStepper>(system, radau::configuration_of(system, all));
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
