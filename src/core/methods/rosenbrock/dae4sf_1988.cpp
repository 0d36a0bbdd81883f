// SPDX-License-Identifier: BSD-3-Clause
// DAE4SF as printed by Steinebach (1988), appendix 12.1 c, and as used for the tables of that
// report: 5 stages, 4 function evaluations, A-stable, R(infinity) = 1/3. Meant to be of order 4(3),
// but two of the conditions of order 4 are violated: order 3(3). The set of order 4 is dae4sf. The
// dense output of order 2 is the smallest solution of the conditions up to order 2 for all theta;
// the source has none.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& dae4sf_1988();

const Method& dae4sf_1988() {
  static constexpr RosenbrockTable<5> table{
      .gamma = 0.5,
      .a = {{{},
             {},
             {-0.5, 0.5},
             {-2.32291666666666667, 1.09375, 1.125},
             {0.255787037037037037, -0.21412037037037037, 2.75, 2.0}}},
      .c = {{{},
             {4.0},
             {3.46296296296296296, -1.5},
             {9.08333333333333333, -3.3125, -2.25},
             {12.4822530864197531, -4.70138888888888889, 1.16666666666666667,
              -15.8518518518518519}}},
      .weights = {-5.58287037037037037, 2.34027777777777778, 0.7, 4.35555555555555556, 0.4},
      .error = {-0.0398148148148148148, 0.0435185185185185185, -0.2, 0.177777777777777778, 0.0},
      .abscissae = {0.0, 0.0, 0.5, 0.75, 0.5},
      .time_weights = {0.5, 1.5, 0.240740740740740741, 0.015625, 0.111111111111111111},
      .dense = {{{-0.0892606289335458939, -0.0313147306662039497, 0.0388074916765174766,
                  2.81926493075513236, 0.343879664674814823}}},
      .dense_rows = 1};
  static_assert(defect(table).empty());
  static const RosenbrockCoefficients view(table);
  static const Method method =
      rosenbrock(view,
                 {.name = "dae4sf-1988",
                  .order = 3,
                  .error_order = 3,
                  .dense_order = 2,
                  .orders = ClassOrders::all(3),
                  .stability = Stability::a_stable,
                  .max_index = 1,
                  .reference = "Steinebach (1988), report 29, Kaiserslautern, 12.1 c",
                  .table = &view},
                 {.algebraic_power = 3});
  return method;
}

}  // namespace daedalus::methods
