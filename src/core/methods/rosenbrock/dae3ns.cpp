// SPDX-License-Identifier: BSD-3-Clause
// DAE3NS: explicit in y, 3 stages, order 3(2), R(infinity) = 0. Steinebach (1988), section 7.2 d,
// with gamma~_31 = 17/9; the printed 17/27 is gamma_31. Solution and embedded solution have the
// same quadrature weights: the estimate of y' = f(t) is zero.
// The dense output of order 2 is the smallest solution of the conditions up to order 2 for all
// theta; the source has none.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& dae3ns();

const Method& dae3ns() {
  static constexpr RosenbrockBTable<3> table{
      .gamma = 0.333333333333333333,
      .alpha = {{{}, {0.666666666666666667}, {-0.333333333333333333, 1.0}}},
      .gamma_ij = {{{}, {-0.37037037037037037}, {0.62962962962962963, -1.0}}},
      .mu = {0.25, 0.5, 0.25},
      .mu_hat = {0.25, 0.75, 0.0},
      .abscissae = {0.0, 0.666666666666666667, 0.666666666666666667},
      .time_weights = {0.333333333333333333, -0.037037037037037037, -0.037037037037037037},
      .dense = {{{0.75, -0.375, -0.375}}},
      .dense_rows = 1};
  static_assert(defect(table).empty());
  static const RosenbrockBCoefficients view(table);
  static const Method method =
      rosenbrock(view,
                 {.name = "dae3ns",
                  .order = 3,
                  .error_order = 2,
                  .dense_order = 2,
                  .orders = ClassOrders::all(3),
                  .max_index = 1,
                  .reference = "Steinebach (1988), report 29, Kaiserslautern, 7.2 d",
                  .table = &view},
                 {.algebraic_power = 2});
  return method;
}

}  // namespace daedalus::methods
