// SPDX-License-Identifier: BSD-3-Clause
// DAE2SOL: BDF of order 1 to 5 for index 2 with constant kernel of f_x', error test of P x alone,
// component by component. C. Tischendorf (1992), chapter 4. The engine is that of `bdf`; what
// differs is the estimate (4.4), the step and order rule (control "dae2sol", "dae2sol-a",
// "dae2sol-printed", "dae2sol-fitted"), the limit of the steps and a Newton iteration that is
// solved tightly.
#include "methods/bdf/engine.hpp"

namespace daedalus::methods {

const Method& dae2sol();
const Method& dae2sol() {
  static const Method method{
      .name = "dae2sol",
      .family = "bdf",
      .view = View::residual,
      .order = 5,
      .error_order = 5,
      .dense_order = 5,
      .orders = ClassOrders::all(5),
      .stability = Stability::none,
      .stiffly_accurate = true,
      .matrix_free = true,
      .max_index = 2,
      .formulations = {"index2"},
      .min_order = 1,
      .max_order = 5,
      .control = "dae2sol",
      .reference = "Tischendorf (1992), chapter 4",
      .options = {{"max_order", "1..6", 5, "highest order of a run with error control"},
                  {"order", "0..6", 0,
                   "one order for the whole run; 0: chosen by the step control, and max_order with "
                   "fixed steps"},
                  {"newton_tolerance", "> 0", 1e-8,
                   "largest remaining Newton error in units of the error tolerance"},
                  {"first_test", "0, 1", 0,
                   "1: the test of the first step looks at all variables, as printed; 0: at P x"}},
      .make = [](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
        bdf::Configuration c;
        c.order = bdf::order_setting(settings, "order", 0);
        c.max_order = bdf::order_setting(settings, "max_order", 1);
        c.newton.kappa = settings("newton_tolerance");
        c.newton.trust_rate = true;
        c.newton.floor = 1e-3;
        c.estimate_defect = true;
        c.double_step_all = settings("first_test") != 0.0;
        return std::make_unique<bdf::BdfStepper>(system, c);
      }};
  return method;
}

}  // namespace daedalus::methods
