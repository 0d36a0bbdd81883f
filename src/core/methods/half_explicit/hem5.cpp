// SPDX-License-Identifier: BSD-3-Clause
// HEM5: eight stages, every one with a constraint system (Brasey 1992), coefficients as in the
// distributed code to 16 digits; order 5 in y, 3 in z. No other weights of these stages meet the
// conditions of order 4. Those of the error estimate meet all of order 3, sum bhat_i c_i^3 = 1/4
// and bhat_8 = 0, and of the conditions of order 4 for ordinary differential equations all but the
// one of the tallest tree.
#include "methods/half_explicit/engine_tables.hpp"

namespace daedalus::methods {

const Method& hem5();
const Method& hem5() {
  using namespace half_explicit;
  static const HerkTable table = [] {
    HerkTable t;
    t.name = "hem5";
    t.a = {{},
           {"0.1"},
           {"0.0375", "0.1125"},
           {"0.3222169236216038", "-1.188883322987607", "1.228145134023366"},
           {"-0.03501123898129943", "0.3725420601086163", "-0.2721053535582034",
            "0.01993037578575077"},
           {"-0.5576547055042005", "1.367307289645883", "-1.732236360460725", "0.4587772007467548",
            "0.9638065755722880"},
           {"0.08654517193566155", "-0.08810082847945416", "0.1981275547329404",
            "-0.4645422679331083", "0.1615170091109488", "0.9064533606330119"},
           {"0", "0", "0", "3.624477248753816", "-0.4617724189181256", "-3.198024628164272",
            "1.035319798328740"}};
    t.b = {"0",
           "0",
           "0",
           "0.2467760667636791",
           "0.2106594087489728",
           "0.1769218149125021",
           "0.3064446444147922",
           "0.05919806516005373"};
    t.gamma = {t.a.begin() + 1, t.a.end()};
    t.gamma.push_back(t.b);
    t.d = {"0", "0", "0", "0", "0", "0", "0", "1"};
    return t;
  }();
  static Configurations configurations([](const Configurations::Parameters&) {
    Configuration c{.numbers = HerkNumbers<double>(table)};
    c.embedded = {0.0,
                  0.0,
                  0.0,
                  0.56958842738247095,
                  0.16446227093927138,
                  -0.22436212938541122,
                  0.49031143106366892,
                  0.0};
    c.project_estimate = false;
    c.error_order = 3;
    // Z_5, Z_6 and Z_8 are z at c_5, c_6 and c_8 up to O(h^3): their second difference.
    const std::vector<double>& at = c.numbers.c;
    c.bend.assign(8, 0.0);
    c.bend[4] = 1.0 / ((at[4] - at[5]) * (at[4] - at[7]));
    c.bend[5] = 1.0 / ((at[5] - at[4]) * (at[5] - at[7]));
    c.bend[7] = 1.0 / ((at[7] - at[4]) * (at[7] - at[5]));
    return c;
  });
  static const Method method = [] {
    Method m = description("hem5", {5, 3, 3, 3}, "Brasey (1992)");
    m.table = &table;
    m.make = [](System& system, const MethodSettings&) -> std::unique_ptr<Stepper> {
      return std::make_unique<HalfExplicitStepper>(system, configurations.with());
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
