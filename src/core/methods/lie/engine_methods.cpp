// SPDX-License-Identifier: BSD-3-Clause
#include "methods/lie/engine_methods.hpp"

#include <fmt/format.h>

namespace daedalus::lie_methods {

Method fixed_step_method(std::string name, int order, std::string reference) {
  Method m;
  m.name = std::move(name);
  m.family = "lie";
  m.view = View::residual;
  m.order = order;
  m.dense_order = order;
  m.orders = ClassOrders::all(order);
  m.max_index = 3;
  m.formulations = {"index3", "ggl"};
  m.multibody_only = true;
  m.fixed_step_only = true;
  m.reference = std::move(reference);
  add_common_options(m);
  return m;
}

void add_common_options(Method& method) {
  method.options.push_back({"renormalise", "0, 1", 0,
                            "1: rotations are moved back to their group after every step; without "
                            "it they leave it by round-off alone, below 1e-11 in a million steps"});
  method.options.push_back({"newton_tolerance", "> 0", 1e-5,
                            "largest remaining Newton error of v, and of the step of q over h, in "
                            "units of the error tolerance"});
}

int whole(const MethodSettings& settings, std::string_view key, int least, int largest) {
  const double value = settings(key);
  const int number = static_cast<int>(value);
  if (number != value || number < least || number > largest)
    throw InvalidArgument(fmt::format("{}: {} is not allowed; give a whole number from {} to {}",
                                      key, value, least, largest));
  return number;
}

Common common_settings(const MethodSettings& settings) {
  Common c;
  c.renormalise = whole(settings, "renormalise", 0, 1) == 1;
  c.newton.kappa = settings("newton_tolerance");
  if (!(c.newton.kappa > 0.0))
    throw InvalidArgument(
        fmt::format("newton_tolerance: {} is not allowed; give a number > 0", c.newton.kappa));
  return c;
}

MethodOption start_option() {
  return {"start", "0, 1", 1,
          "1: with position constraints the start velocities get the normal part of the local "
          "error; 0: exact start values, which cost lambda an order"};
}

}  // namespace daedalus::lie_methods
