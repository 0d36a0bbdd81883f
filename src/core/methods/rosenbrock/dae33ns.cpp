// SPDX-License-Identifier: BSD-3-Clause
// DAE33NS: explicit in y, 4 stages, order 3(2) with local errors O(h^4) in y and z, R(infinity) =
// 0. Steinebach (1988), section 7.2 e. DENSE
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& dae33ns();

const Method& dae33ns() {
  static constexpr RosenbrockBTable<4> table{
      .gamma = 0.25,
      .alpha = {{{}, {0.5}, {1.125, -0.375}, {0.5, 0.25, 0.25}}},
      .gamma_ij = {{{},
                    {-0.5},
                    {-1.3125, 0.5625},
                    {-0.460069444444444444, 0.458333333333333333, -0.388888888888888889}}},
      .mu = {0.119658119658119658, 0.948717948717948718, -0.376068376068376068,
             0.307692307692307692},
      .mu_hat = {0.0, 1.30769230769230769, -0.615384615384615385, 0.307692307692307692},
      .abscissae = {0.0, 0.5, 0.75, 1.0},
      .time_weights = {0.25, -0.25, -0.5, -0.140625},
      .dense = {{{0.880341880341880342, -0.948717948717948718, 0.376068376068376068,
                  -0.307692307692307692},
                 {-0.683760683760683761, 1.4358974358974359, -0.136752136752136752,
                  -0.615384615384615385}}},
      .dense_rows = 2};
  static_assert(defect(table).empty());
  static const RosenbrockBCoefficients view(table);
  static const Method method =
      rosenbrock(view,
                 {.name = "dae33ns",
                  .order = 3,
                  .error_order = 2,
                  .dense_order = 3,
                  .orders = ClassOrders::all(3),
                  .max_index = 1,
                  .reference = "Steinebach (1988), report 29, Kaiserslautern, 7.2 e",
                  .table = &view},
                 {.algebraic_power = 3});
  return method;
}

}  // namespace daedalus::methods
