// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "methods/half_explicit/engine.hpp"

namespace daedalus::half_explicit {

Method description(const char* name, Orders orders, const char* reference) {
  Method m;
  m.name = name;
  m.family = "half-explicit";
  m.view = View::mechanical;
  m.view_elsewhere = View::partitioned;
  m.order = orders.y;
  m.error_order = orders.error;
  m.dense_order = orders.dense;
  m.orders = ClassOrders::all(orders.y)
                 .with(VariableClass::z, orders.z)
                 .with(VariableClass::lambda, orders.z);
  m.stability = Stability::none;
  m.max_index = 2;
  m.hessenberg_only = true;
  m.formulations = {"index2"};
  m.control = "elementary";
  m.reference = reference;
  return m;
}

Configuration dormand_prince(const HerkTable& table) {
  Configuration c{.numbers = HerkNumbers<double>(table)};
  c.embedded = c.numbers.embedded;
  c.error_order = 4;
  c.dense = DenseOutput::dormand_prince;
  return c;
}

ExactText parameter(const MethodSettings& settings, const char* key, double standard,
                    const char* usual) {
  const double value = settings(key);
  return value == standard ? ExactText(usual) : fmt::format("{:.17g}", value);
}

}  // namespace daedalus::half_explicit
