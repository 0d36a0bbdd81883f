// SPDX-License-Identifier: BSD-3-Clause
// The generalised-alpha method for multibody systems on their configuration space.
#include <fmt/format.h>

#include "methods/lie/engine_generalised_alpha.hpp"
#include "methods/lie/engine_methods.hpp"

namespace daedalus::methods {
namespace {

lie_methods::AlphaSettings alpha_settings(const MethodSettings& settings) {
  lie_methods::AlphaSettings s;
  s.rho = settings("rho");
  if (!(s.rho >= 0.0 && s.rho < 1.0))
    throw InvalidArgument(
        fmt::format("rho: {} is not allowed; give a number >= 0 and below 1", s.rho));
  s.approximation = lie_methods::whole(settings, "approximation", 1, 4);
  s.corrected = lie_methods::whole(settings, "start", 0, 1) == 1;
  s.modified = lie_methods::whole(settings, "modify", 0, 1) == 1;
  s.renormalise = lie_methods::whole(settings, "renormalise", 0, 1) == 1;
  s.newton_tolerance = settings("newton_tolerance");
  if (!(s.newton_tolerance > 0.0))
    throw InvalidArgument(
        fmt::format("newton_tolerance: {} is not allowed; give a number > 0", s.newton_tolerance));
  return s;
}

}  // namespace

const Method& generalised_alpha();
const Method& generalised_alpha() {
  static const Method method{
      .name = "generalised-alpha",
      .family = "lie",
      .view = View::residual,
      .order = 2,
      .error_order = 2,
      .dense_order = 2,
      .orders = ClassOrders::all(2),
      .stability = Stability::a_stable,
      .repair = Repair::accept_inherited,
      .max_index = 3,
      .formulations = {"index3", "ggl"},
      .multibody_only = true,
      .reference = "Wieloch (2022), (3.55) and section 4.1; Bruels, Cardona, Arnold (2012)",
      .options =
          {{"rho", "0 <= rho < 1", 0.5,
            "spectral radius at infinity; smaller: high frequencies are damped more, steps may "
            "change more often, errors are larger"},
           {"approximation", "1..4", 1,
            "of v'' where the step changes: A1 explicit, A2, A3, A4 implicit"},
           {"start", "0, 1", 1, "1: corrected start values; 0: exact ones, lambda loses an order"},
           {"modify", "0, 1", 1,
            "1: v and a are modified where the step changes; 0: not, lambda loses an order"},
           {"renormalise", "0, 1", 0,
            "1: rotations are brought back to their group after every step"},
           {"newton_tolerance", "> 0", 1e-3,
            "largest remaining Newton error in units of the error tolerance; a tenth of it "
            "where constraints are held at position level alone"}},
      .make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
        return std::make_unique<lie_methods::GeneralisedAlpha>(system, alpha_settings(settings));
      }};
  return method;
}

}  // namespace daedalus::methods
