// SPDX-License-Identifier: BSD-3-Clause
// DAE4SF: 5 stages, 4 function evaluations, order 4(3), A-stable, R(infinity) = 1/3. Recomputed
// from the conditions and free parameters of Steinebach (1988), section 7.2 c: they give beta_3 =
// 13/36, where the printed table uses 13/54 and loses one order (dae4sf-1988). The dense output of
// order 2 is the smallest solution of the conditions up to order 2 for all theta; the source has
// none.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& dae4sf();

const Method& dae4sf() {
  static constexpr RosenbrockTable<5> table{
      .gamma = 0.5,
      .a = {{{},
             {},
             {-0.5, 0.5},
             {-2.59375, 1.09375, 1.125},
             {0.180555555555555556, -0.680555555555555556, 2.75, 2.0}}},
      .c = {{{},
             {4.0},
             {3.94444444444444444, -1.5},
             {10.4375, -3.3125, -2.25},
             {15.8425925925925926, -3.76851851851851852, 1.16666666666666667,
              -15.8518518518518519}}},
      .weights = {-6.38333333333333333, 1.96111111111111111, 0.7, 4.35555555555555556, 0.4},
      .error = {-0.1, 0.0555555555555555556, -0.2, 0.177777777777777778, 0.0},
      .abscissae = {0.0, 0.0, 0.5, 0.75, 0.5},
      .time_weights = {0.5, 1.5, 0.361111111111111111, 0.21875, 0.111111111111111111},
      .dense = {{{-0.354793240525173817, -0.333032419505551068, -0.369743906494987409,
                  3.47387592847753441, 0.454981707606784815}}},
      .dense_rows = 1};
  static_assert(defect(table).empty());
  static const RosenbrockCoefficients view(table);
  static const Method method =
      rosenbrock(view,
                 {.name = "dae4sf",
                  .order = 4,
                  .error_order = 3,
                  .dense_order = 2,
                  .orders = ClassOrders::all(4),
                  .stability = Stability::a_stable,
                  .max_index = 1,
                  .reference = "Steinebach (1988), report 29, Kaiserslautern, 7.2 c, recomputed",
                  .table = &view},
                 {.algebraic_power = 3});
  return method;
}

}  // namespace daedalus::methods
