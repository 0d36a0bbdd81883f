// SPDX-License-Identifier: BSD-3-Clause
// Rodas3P: 5 stages, 3 function evaluations, order 3(2), L-stable, stiffly accurate, dense output
// of order 3; the embedded solution is the W-method Rodas23W. Its algebraic variables follow those
// of the solution, hence the check of the constraints at the end of the step. Steinebach (2024),
// JuliaCon Proceedings.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& rodas3p();

const Method& rodas3p() {
  static constexpr RosenbrockTable<5> table{
      .gamma = 0.333333333333333333,
      .a = {{{},
             {1.33333333333333333},
             {},
             {2.90625, 3.375, 0.40625},
             {2.90625, 3.375, 0.40625, 0.0}}},
      .c = {{{},
             {-4.0},
             {8.25, 6.75},
             {1.21875, -5.0625, -1.96875},
             {4.03125, -15.1875, -4.03125, 6.0}}},
      .weights = {2.90625, 3.375, 0.40625, 0.0, 1.0},
      .error = {0.0, 0.0, 0.0, -1.0, 1.0},
      .abscissae = {0.0, 0.444444444444444444, 0.0, 1.0, 1.0},
      .time_weights = {0.333333333333333333, -0.111111111111111111, 1.0, 0.0, 0.0},
      .dense = {{{1.78125, 6.75, 0.15625, -6.0, -1.0}, {4.21875, -15.1875, -3.09375, 9.0, 0.0}}},
      .dense_rows = 2,
      .constraint_check = true};
  static_assert(defect(table).empty());
  static const RosenbrockCoefficients view(table);
  static const Method method =
      rosenbrock(view, {.name = "rodas3p",
                        .order = 3,
                        .error_order = 2,
                        .dense_order = 3,
                        .orders = ClassOrders::all(3),
                        .stability = Stability::l_stable,
                        .stiffly_accurate = true,
                        .max_index = 1,
                        .reference = "Steinebach (2024), JuliaCon Proceedings",
                        .table = &view});
  return method;
}

}  // namespace daedalus::methods
