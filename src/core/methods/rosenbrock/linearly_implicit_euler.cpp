// SPDX-License-Identifier: BSD-3-Clause
// The linearly implicit Euler method: one stage with gamma = 1, (M/h - J) u = F(t, y0) + h F_t,
// y1 = y0 + u. Order 1, L-stable; linear equations with constant coefficients are solved as by
// implicit Euler. No error estimate. Deuflhard (1985), SIAM Review 27.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& linearly_implicit_euler();

const Method& linearly_implicit_euler() {
  static constexpr RosenbrockTable<1> table{.gamma = 1.0, .weights = {1.0}, .time_weights = {1.0}};
  static_assert(defect(table).empty());
  static const RosenbrockCoefficients view(table);
  static const Method method = rosenbrock(view, {.name = "linearly-implicit-euler",
                                                 .order = 1,
                                                 .dense_order = 1,
                                                 .orders = ClassOrders::all(1),
                                                 .stability = Stability::l_stable,
                                                 .stiffly_accurate = true,
                                                 .max_index = 1,
                                                 .fixed_step_only = true,
                                                 .reference = "Deuflhard (1985), SIAM Review 27",
                                                 .table = &view});
  return method;
}

}  // namespace daedalus::methods
