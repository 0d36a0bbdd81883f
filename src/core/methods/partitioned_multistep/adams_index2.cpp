// SPDX-License-Identifier: BSD-3-Clause
// Adams methods with variable step and order for systems of index 2 whose right-hand side is
// expensive: orders 2 to 13 on the true grid, two right-hand sides per step, error estimate from
// the difference of consecutive orders and from the corrector (Shampine, Gordon 1975, chapter 6).
// z follows from the hidden constraint, choice (I) of Arnold (1998), section 3.3.3. Choice (III),
// BDF, needs no second derivatives of constraints, but for k = 8 it magnifies the irregular part of
// local errors by 35 / h in z: estimates have to be projected, which costs more constraint matrices
// (six instead of three per step), and positions drift more. Variable steps: Remark 20.
#include "methods/partitioned_multistep/engine_methods.hpp"

namespace daedalus::methods {

const Method& adams_index2();
const Method& adams_index2() {
  using namespace partitioned_multistep;
  static const Method method = [] {
    // Intervals of stability shrink with the order: 9 unless asked otherwise, 6 with fixed steps.
    constexpr int standard = 9, with_fixed_steps = 6, highest = plmsm::max_steps + 1;
    Method m;
    m.name = "adams-index2";
    m.family = "partitioned-multistep";
    m.view = View::mechanical;
    m.view_elsewhere = View::partitioned;
    m.order = with_fixed_steps;
    m.error_order = with_fixed_steps - 1;
    m.dense_order = with_fixed_steps;
    m.orders = ClassOrders::all(with_fixed_steps);
    m.max_index = 2;
    m.hessenberg_only = true;
    m.formulations = {"index2"};
    m.min_order = 2;
    m.max_order = highest;
    m.control = "multistep";
    m.reference = "Arnold (1998), section 3.3.3; Shampine, Gordon (1975)";
    m.options = {
        {"max_order", "2..12", standard,
         "highest order of a run with error control; above 9 for smooth undamped motion"},
        {"fixed_order", "2..13", with_fixed_steps, "order where the step is fixed or given"},
        {"correctors", "1..20", 1,
         "corrector steps M of P(EC)^M E; M + 1 right-hand sides per step"},
        {"constraint", "1, 3", 1,
         "what defines z: 1 the hidden constraint, 3 a second formula (BDF), which needs "
         "no second derivatives of the constraints"}};
    m.make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      Configuration c;
      c.max_steps = whole_setting(settings, "max_order", 2, highest - 1) - 1;
      c.fixed_steps = whole_setting(settings, "fixed_order", 2, highest) - 1;
      c.correctors = whole_setting(settings, "correctors", 1, 20);
      c.rule = static_cast<AlgebraicRule>(whole_setting(settings, "constraint", 1, 3));
      if (c.rule == AlgebraicRule::blocking)
        throw InvalidArgument(
            "constraint: 2 (blocking) is not allowed with variable steps; give 1 or 3");
      c.estimates = true;
      return std::make_unique<Engine>(system, c);
    };
    return m;
  }();
  return method;
}

}  // namespace daedalus::methods
