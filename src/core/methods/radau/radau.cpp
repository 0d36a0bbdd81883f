// SPDX-License-Identifier: BSD-3-Clause
// Radau IIA with three, five or seven stages: order 5, 9 or 13, chosen by the contraction of
// Newton's iteration. Hairer, Wanner (1999), J. Comput. Appl. Math. 111.
#include "methods/radau/engine.hpp"

namespace daedalus::methods {

const Method& radau();
const Method& radau() {
  static const Method method = [] {
    Method m = daedalus::radau::standard_method();
    m.name = "radau";
    m.min_order = 5;
    m.max_order = 13;
    m.reference = "Hairer, Wanner (1999); Hairer, Wanner (1996), sections IV.8, VII.4";
    m.options.push_back({"order", "0, 5, 9, 13", 0,
                         "one order for the whole run; 0: chosen by the iteration, and 5 with "
                         "fixed steps"});
    m.options.push_back({"max_order", "5, 9, 13", 13, "highest order that is chosen"});
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      return std::make_unique<daedalus::radau::RadauStepper>(
          system, daedalus::radau::configuration_of(system, settings));
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
