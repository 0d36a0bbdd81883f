// HERK2: two stages, one constraint system, any explicit method of order 2 (Arnold 1998, Example
// 22 a); order 2 in y, 1 in z. The companion of the error estimate is y_n + h f(y_n, z_n),
// projected: order 1.
#include "kernel/herk_families.hpp"
#include "methods/half_explicit/engine.hpp"

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
  static const Method method = [] {
    Method m = description("herk2", {2, 1, 1, 2}, "Arnold (1998), Example 22 a");
    m.table = &table;
    m.options = {{"c2", "not 0", 1.0, "abscissa of the second stage"}};
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      const HerkTable t = make_table(parameter(settings, "c2", 1.0, "1"));
      Configuration c{.numbers = HerkNumbers<double>(t)};
      c.embedded = c.numbers.embedded;
      c.error_order = 1;
      return std::make_unique<HalfExplicitStepper>(system, std::move(c));
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
