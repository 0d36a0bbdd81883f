// SPDX-License-Identifier: BSD-3-Clause
// HENEW4: four stages and one more for z alone (Arnold 1998, Example 22 c); order 4 in y, 3 in z.
// The companion of the error estimate has the weights (1/6, 0, 2/3, 0, 1/6): with c = (0, c2, 1/2,
// 1, 1) and C(2) they meet all conditions up to order 3. It is projected, too: Z_4 contains the
// whole error of z_n (w_41 = 1), which a shorter step does not reduce.
#include "kernel/herk_families.hpp"
#include "methods/half_explicit/engine_tables.hpp"

namespace daedalus::methods {

const Method& henew4();
const Method& henew4() {
  using namespace half_explicit;
  static const auto make_table = [](const ExactText& c2, const ExactText& c6,
                                    const ExactText& a62) {
    HerkTable t = henew4_table(c2, c6, a62);
    t.embedded = {"1/6", "0", "2/3", "0", "1/6"};
    return t;
  };
  static constexpr const char* usual_c6 = "1/2 - 1/6 sqrt(3)";
  static const double c6 = number<double>(usual_c6);
  static const HerkTable table = make_table("2/5", usual_c6, "0");
  static Configurations configurations([](const Configurations::Parameters& p) {
    Configuration c{.numbers = HerkNumbers<double>(make_table(p[0], p[1], p[2]))};
    c.embedded = c.numbers.embedded;
    c.error_order = 3;
    // Z_1, Z_3 and Z_5 are z at 0, 1/2 and 1 up to O(h^3).
    c.bend = {2.0, 0.0, -4.0, 0.0, 2.0};
    return c;
  });
  static const Method method = [] {
    Method m = description("henew4", {4, 3, 3, 3}, "Arnold (1998), Example 22 c");
    m.table = &table;
    m.options = {{"c2", "not 0", 0.4, "abscissa of the second stage"},
                 {"c6", "none of 0, 1/2, 1", c6, "where the constraint of the last stage holds"},
                 {"a62", "any", 0.0, "coefficient of the last constraint row"}};
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      return std::make_unique<HalfExplicitStepper>(
          system, configurations.with({parameter(settings, "c2", 0.4, "2/5"),
                                       parameter(settings, "c6", c6, usual_c6),
                                       parameter(settings, "a62", 0.0, "0")}));
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
