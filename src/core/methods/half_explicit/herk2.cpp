// SPDX-License-Identifier: BSD-3-Clause
// HERK2: two stages, one constraint system, any explicit method of order 2 (Arnold 1998, Example
// 22 a); order 2 in y, 1 in z. The companion of the error estimate is y_n + h f(y_n, z_n),
// projected: order 1.
#include "kernel/herk_families.hpp"
#include "methods/half_explicit/engine_tables.hpp"

namespace daedalus::methods {

const Method& herk2();
const Method& herk2() {
  using namespace half_explicit;
  static const auto make_table = [](const ExactText& c2) {
    HerkTable t = herk2_table(c2);
    t.embedded = {"1", "0"};
    return t;
  };
  static const HerkTable table = make_table("1");
  static Configurations configurations([](const Configurations::Parameters& p) {
    Configuration c{.numbers = HerkNumbers<double>(make_table(p[0]))};
    c.embedded = c.numbers.embedded;
    c.error_order = 1;
    return c;
  });
  static const Method method = [] {
    Method m = description("herk2", {2, 1, 1, 2}, "Arnold (1998), Example 22 a");
    m.table = &table;
    m.options = {{"c2", "not 0", 1.0, "abscissa of the second stage"}};
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      return std::make_unique<HalfExplicitStepper>(
          system, configurations.with({parameter(settings, "c2", 1.0, "1")}));
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
