// SPDX-License-Identifier: BSD-3-Clause
// HEM4: five stages, every one with a constraint system (Brasey, Hairer 1993); order 4 in y, 2 in
// z. No other weights of these stages meet the conditions of order 3, so the error estimate
// compares with a solution of order 2: sum bhat_i = 1, sum bhat_i c_i = 1/2, sum bhat_i c_i^2 =
// 1/3, sum bhat_i w_ij chat_j^2 = 1 (tree f[g[f,f]]) and bhat_5 = 0.
#include "methods/half_explicit/engine_tables.hpp"

namespace daedalus::methods {

const Method& hem4();
const Method& hem4() {
  using namespace half_explicit;
  static const HerkTable table = [] {
    HerkTable t;
    t.name = "hem4";
    t.a = {{},
           {"3/10"},
           {"1/30 + 1/30 sqrt(6)", "11/30 - 4/30 sqrt(6)"},
           {"-79/150 - 31/150 sqrt(6)", "-1/30 - 4/30 sqrt(6)", "24/25 + 11/25 sqrt(6)"},
           {"14/6 + 5/6 sqrt(6)", "-8/6 + 7/6 sqrt(6)", "-9/4 - 7/4 sqrt(6)", "9/4 - 1/4 sqrt(6)"}};
    t.b = {"0", "0", "16/36 - 1/36 sqrt(6)", "16/36 + 1/36 sqrt(6)", "1/9"};
    t.gamma = {t.a.begin() + 1, t.a.end()};
    t.gamma.push_back(t.b);
    t.d = {"0", "0", "0", "0", "1"};
    return t;
  }();
  static Configurations configurations([](const Configurations::Parameters&) {
    Configuration c{.numbers = HerkNumbers<double>(table)};
    c.embedded = {0.40366590687282801, 0.14066514707898935, -0.33459465791801675,
                  0.79026360396619939, 0.0};
    c.project_estimate = false;
    c.error_order = 2;
    return c;
  });
  static const Method method = [] {
    Method m = description("hem4", {4, 2, 2, 3}, "Brasey, Hairer (1993)");
    m.table = &table;
    m.make = [](System& system, const MethodSettings&) -> std::unique_ptr<Stepper> {
      return std::make_unique<HalfExplicitStepper>(system, configurations.with());
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
