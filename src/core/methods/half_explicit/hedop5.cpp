// SPDX-License-Identifier: BSD-3-Clause
// HEDOP5: the method of Dormand and Prince with a seventh stage for z alone (Arnold 1998, Table
// 3.4, section 3.3.2); order 5 in y, 4 in z; the projected solution of order 4 estimates the error.
#include "kernel/herk_families.hpp"
#include "methods/half_explicit/engine_tables.hpp"

namespace daedalus::methods {

const Method& hedop5();
const Method& hedop5() {
  using namespace half_explicit;
  static const double a87 = number<double>("-3280/75413");
  static const HerkTable table = hedop5_table();
  static Configurations configurations([](const Configurations::Parameters& p) {
    Configuration c = dormand_prince(hedop5_table(p[0], p[1]));
    c.project_estimate = p[2] == "1";
    return c;
  });
  static const Method method = [] {
    Method m = description("hedop5", {5, 4, 4, 4}, "Arnold (1998), Table 3.4");
    m.table = &table;
    m.options = {{"c8", "not 1", 0.95, "where the constraint of the last stage holds"},
                 {"a87", "not 0", a87, "last coefficient of the last constraint row"},
                 {"project_estimate", "0, 1", 1.0,
                  "whether the embedded solution is projected before it is compared (3.81)"}};
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      return std::make_unique<HalfExplicitStepper>(
          system, configurations.with({parameter(settings, "c8", 0.95, "19/20"),
                                       parameter(settings, "a87", a87, "-3280/75413"),
                                       settings("project_estimate") != 0.0 ? "1" : "0"}));
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
