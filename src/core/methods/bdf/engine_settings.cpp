// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "methods/bdf/engine.hpp"

namespace daedalus::bdf {

namespace {

std::vector<MethodOption> standard_options() {
  return {{"max_order", "1..6", 5, "highest order of a run with error control"},
          {"order", "0..6", 0,
           "one order for the whole run; 0: chosen by the step control, and max_order with "
           "fixed steps"},
          {"newton_tolerance", "> 0", 0.05,
           "largest remaining Newton error in units of the error tolerance"},
          {"error_share", "0..1", 0,
           "share of the tolerance that the error of one step may take; 0: a tenth for mechanical "
           "systems, whose errors stay and add up, otherwise all"},
          {"alpha_range", ">= 0 or -1", -1.0,
           "change of the leading coefficient over h up to which a factorisation is kept, "
           "index 0 and 1; -1: 0.25, and 0.02 up to 15 unknowns"},
          {"watch_stability", "0 or 1", 1,
           "1: order 2 where oscillations that the steps do not resolve limit orders 3 to 5"}};
}

// With index 2 rows of constraints do not see alpha, and what another alpha leaves there reaches
// multipliers as 1/h: small matrices are made anew. The factors of a large sparse one cost as much
// as ten corrections and more, and those contract like (alpha - alpha') / (alpha + alpha').
constexpr int large_sparse = 400;
constexpr double sparse_range = 0.2;

// Corrections of factors that another alpha made are scaled by 2 / (1 + alpha / alpha') as in
// DASSL, which lets alpha change by a quarter for a few iterations more. Factors of small systems
// cost no more than these iterations, and those of the very alpha solve linear equations exactly.
constexpr int small_system = 15;
constexpr double wide_range = 0.25, narrow_range = 0.02;

double range_of_index_1(const System& system, double asked) {
  if (asked >= 0.0) return asked;
  return system.layout.tangents() > small_system ? wide_range : narrow_range;
}

double range_of_index_2(const System& system) {
  const bool sparse =
      system.linear_solver() == "sparse" && system.layout.tangents() >= large_sparse;
  return sparse && !system.layout.find(VariableClass::v) ? sparse_range : 0.0;
}

}  // namespace

Method standard_method() {
  return {.family = "bdf",
          .view = View::residual,
          .order = 5,
          .error_order = 5,
          .dense_order = 5,
          .orders = ClassOrders::all(5),
          .stability = Stability::none,
          .stiffly_accurate = true,
          .matrix_free = true,
          .min_order = 1,
          .max_order = 6,
          .control = "multistep",
          .options = standard_options(),
          .propagation = Propagation::multistep};
}

Configuration standard_configuration(const System& system, const MethodSettings& settings) {
  Configuration c;
  c.order = order_setting(settings, "order", 0);
  c.max_order = order_setting(settings, "max_order", 1);
  c.newton.kappa = settings("newton_tolerance");
  if (!(c.newton.kappa > 0.0))
    throw InvalidArgument(
        fmt::format("newton_tolerance: {} is not allowed; give a number > 0", c.newton.kappa));
  c.error_share = settings("error_share");
  if (!(c.error_share >= 0.0 && c.error_share <= 1.0))
    throw InvalidArgument(
        fmt::format("error_share: {} is not allowed; give a number from 0 to 1", c.error_share));
  if (c.error_share == 0.0) c.error_share = system.layout.find(VariableClass::v) ? 0.1 : 1.0;
  c.newton.kappa *= c.error_share;
  c.watch_stability = settings("watch_stability") != 0.0;
  c.newton.trust_rate = true;
  c.newton.floor = 0.01;
  // A Jacobian costs a few evaluations and serves many steps; a slow one costs one in each.
  c.newton.slow_rate = 0.05;
  int index = 1;
  for (const LayoutBlock& b : system.layout.blocks()) index = std::max(index, b.index);
  c.newton.alpha_range = index > 2    ? 0.0
                         : index == 2 ? range_of_index_2(system)
                                      : range_of_index_1(system, settings("alpha_range"));
  // What is left in position constraints reaches lambda as h^-2; the weights relax lambda
  // instead of tightening positions, so the iteration has to go further (Arnold 1998,
  // Example 6: 1e-5 where 0.03 spoils all components).
  if (index > 2) c.newton.kappa *= 2e-4;
  return c;
}

}  // namespace daedalus::bdf
