// SPDX-License-Identifier: BSD-3-Clause
// GRK4T, the negative example: 4 stages, order 4(3) on ordinary differential equations, but the
// algebraic variables of an index-1 system converge with order 2 only, because the condition of the
// tree g[f,f] is not met. R(infinity) = 0.45, but -1.7 for the embedded solution: its estimate of
// algebraic variables does not fall with h. Kaps and Rentrop (1979), Numerische Mathematik 33. The
// dense output of order 2 is the smallest solution of the conditions up to order 2 for all theta;
// the source has none.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& grk4t();

const Method& grk4t() {
  static constexpr RosenbrockTable<4> table{
      .gamma = 0.231,
      .a = {{{},
             {2.0},
             {4.524708207373116, 4.163528788597648},
             {4.524708207373116, 4.163528788597648, 0.0}}},
      .c = {{{},
             {-5.071675338776316},
             {6.020152728650786, 0.1597506846727117},
             {-1.856343618686113, -8.505380858179826, -2.084075136023187}}},
      .weights = {3.957503746640777, 4.624892388363313, 0.6174772638750108, 1.282612945269037},
      .error = {2.302155402932996, 3.073634485392623, -0.8732808018045032, -1.282612945269037},
      .abscissae = {0.0, 0.462, 0.8802083333333334, 0.8802083333333334},
      .time_weights = {0.231, -0.03962966775244303, 0.5507789395789127, -0.05535098457052764},
      .dense = {{{4.59141857082657409, 0.357078912061052739, -1.92511874864634534,
                  -0.250186908793230568}}},
      .dense_rows = 1};
  static_assert(defect(table).empty());
  static const RosenbrockCoefficients view(table);
  static const Method method =
      rosenbrock(view,
                 {.name = "grk4t",
                  .order = 2,
                  .error_order = 2,
                  .dense_order = 2,
                  .orders = ClassOrders::all(2)
                                .with(VariableClass::y, 3)
                                .with(VariableClass::q, 3)
                                .with(VariableClass::v, 3),
                  .max_index = 1,
                  .fixed_step_only = true,
                  .reference = "Kaps, Rentrop (1979), Numerische Mathematik 33",
                  .table = &view},
                 {.differential_power = 4, .algebraic_power = 2});
  return method;
}

}  // namespace daedalus::methods
