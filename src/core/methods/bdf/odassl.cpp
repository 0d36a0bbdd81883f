// SPDX-License-Identifier: BSD-3-Clause
// BDF for overdetermined systems F(t, x, x') = 0, gamma(t, x) = 0 (Fuehrer 1988; Fuehrer,
// Leimkuhler 1991; Arnold 1998, (3.10)-(3.18)): every step solves the BDF discretisation of
//   F + C^T eta = 0,  gamma = 0
// whose eta stays outside the error control and whose coupling C is kept over several steps. C is
// gamma_x (overdetermined-plain) or the one that leaves the equations of contact points alone
// (overdetermined, the modified corrector).
#include <fmt/format.h>

#include <cmath>

#include "methods/bdf/engine.hpp"

namespace daedalus::methods {

const Method& odassl();
const Method& odassl() {
  static const Method method = [] {
    Method m = bdf::standard_method();
    m.name = "odassl";
    m.max_index = 2;
    m.formulations = {"overdetermined", "overdetermined-plain"};
    m.stabilised_only = true;
    m.reference = "Fuehrer (1988); Fuehrer, Leimkuhler (1991); Arnold (1998), section 3.1";
    m.options.push_back(
        {"coupling_steps", ">= 1", 5, "accepted steps over which the coupling of eta is kept"});
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      bdf::Configuration c = bdf::standard_configuration(system, settings);
      const double steps = settings("coupling_steps");
      if (!(steps >= 1.0 && steps <= 1e6 && std::floor(steps) == steps))
        throw InvalidArgument(
            fmt::format("coupling_steps: {} is not allowed; give a whole number from 1 on", steps));
      c.coupling_steps = static_cast<int>(steps);
      system.freeze();
      return std::make_unique<bdf::BdfStepper>(system, c);
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
