// SPDX-License-Identifier: BSD-3-Clause
// HERK3: three stages, two constraint systems, c_3 = 2/3 (Arnold 1998, Example 22 b); order 3 in
// y, 2 in z. The companion of the error estimate is the solution of HERK2 with the first two
// stages, projected: order 2.
#include "kernel/herk_families.hpp"
#include "methods/half_explicit/engine_tables.hpp"

namespace daedalus::methods {

const Method& herk3();
const Method& herk3() {
  using namespace half_explicit;
  // y_n + h ((1 - beta) f(Y_1, Z_1) + beta f(Y_2, Z_2)), beta = 1 / (2 c2).
  static const auto make_table = [](const ExactText& c2) {
    HerkTable t = herk3_table(c2);
    t.embedded = herk2_table(c2).b;
    t.embedded.push_back("0");
    return t;
  };
  static const HerkTable table = make_table("1/2");
  static Configurations configurations([](const Configurations::Parameters& p) {
    Configuration c{.numbers = HerkNumbers<double>(make_table(p[0]))};
    c.embedded = c.numbers.embedded;
    c.error_order = 2;
    return c;
  });
  static const Method method = [] {
    Method m = description("herk3", {3, 2, 2, 3}, "Arnold (1998), Example 22 b");
    m.table = &table;
    m.options = {{"c2", "not 0", 0.5, "abscissa of the second stage"}};
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      return std::make_unique<HalfExplicitStepper>(
          system, configurations.with({parameter(settings, "c2", 0.5, "1/2")}));
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
