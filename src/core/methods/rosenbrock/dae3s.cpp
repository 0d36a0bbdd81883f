// SPDX-License-Identifier: BSD-3-Clause
// DAE3S: 3 stages, 2 function evaluations, order 3(2), A-stable, R(infinity) = 13/48. Steinebach
// (1988), section 7.2 a. There gamma~_31 carries a misprinted digit; -31309/15040 follows from the
// conditions. The dense output of order 2 is the smallest solution of the conditions up to order 2
// for all theta; the source has none.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& dae3s();

const Method& dae3s() {
  static constexpr RosenbrockTable<3> table{
      .gamma = 0.4,
      .a = {{{}, {1.875}, {1.875, 0.0}}},
      .c = {{{}, {4.98046875}, {-3.95387300531914894, -0.627659574468085106}}},
      .weights = {2.28472222222222222, 0.597614563716258632, 1.18016321406151915},
      .error = {-0.0158772733988824414, -0.0258004373583169111, -0.0698367859384808537},
      .abscissae = {0.0, 0.75, 0.75},
      .time_weights = {0.4, 1.196875, -0.533111702127659574},
      .dense = {{{2.51825294413121502, -0.645055708407521859, 0.441277364037115062}}},
      .dense_rows = 1};
  static_assert(defect(table).empty());
  static const RosenbrockCoefficients view(table);
  static const Method method =
      rosenbrock(view,
                 {.name = "dae3s",
                  .order = 3,
                  .error_order = 2,
                  .dense_order = 2,
                  .orders = ClassOrders::all(3),
                  .stability = Stability::a_stable,
                  .max_index = 1,
                  .reference = "Steinebach (1988), report 29, Kaiserslautern, 7.2 a",
                  .table = &view},
                 {.algebraic_power = 2, .subtract_inherited = 0});
  return method;
}

}  // namespace daedalus::methods
