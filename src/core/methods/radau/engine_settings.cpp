// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "methods/radau/engine.hpp"

namespace daedalus::radau {
namespace {

int order_setting(const MethodSettings& settings, std::string_view key, bool none) {
  const double value = settings(key);
  if ((none && value == 0.0) || value == 5.0 || value == 9.0 || value == 13.0)
    return static_cast<int>(value);
  throw InvalidArgument(fmt::format("{}: {} is not allowed; give 5, 9 or 13{}", key, value,
                                    none ? ", or 0 for the choice by the iteration" : ""));
}

}  // namespace

Configuration configuration_of(const System& system, const MethodSettings& settings) {
  Configuration c;
  c.kappa = settings("kappa");
  c.slow_rate = settings("slow_rate");
  c.order = order_setting(settings, "order", true);
  c.max_order = std::max(order_setting(settings, "max_order", false), c.order);
  if (!(c.kappa >= 0.0))
    throw InvalidArgument(
        fmt::format("kappa: {} is not allowed; give a number > 0, or 0", c.kappa));
  if (!(c.slow_rate >= 0.0))
    throw InvalidArgument(
        fmt::format("slow_rate: {} is not allowed; give a number >= 0", c.slow_rate));
  int index = 1;
  for (const LayoutBlock& b : system.layout.blocks()) index = std::max(index, b.index);
  // What is left in position constraints reaches lambda as h^-2 (Arnold 1998, Example 6: 1e-5 where
  // 0.03 spoils all components).
  if (c.kappa == 0.0) c.kappa = index > 2 ? 1e-5 : 0.03;
  return c;
}

Method standard_method() {
  return {.family = "radau",
          .view = View::residual,
          .order = 5,
          .error_order = 3,
          .dense_order = 3,
          .orders = ClassOrders::all(5)
                        .with(VariableClass::z, 3)
                        .with(VariableClass::lambda, 2)
                        .with(VariableClass::eta, 3)
                        .with(VariableClass::v, 3),
          .stability = Stability::l_stable,
          .stiffly_accurate = true,
          .repair = Repair::accept_inherited,
          .max_index = 3,
          .formulations = {"index2", "index1", "index3", "ggl"},
          .options = {{"kappa", ">= 0", 0.0,
                       "stopping factor of Newton's iteration: largest remaining error in units of "
                       "the error tolerance; 0: 0.03, and 1e-5 for index 3"},
                      {"slow_rate", ">= 0", 1e-3,
                       "contraction rate of the iteration up to which a Jacobian is kept"}}};
}

}  // namespace daedalus::radau
