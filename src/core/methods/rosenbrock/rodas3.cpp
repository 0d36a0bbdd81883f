// SPDX-License-Identifier: BSD-3-Clause
// RODAS3: 4 stages, 3 function evaluations, order 3(2), L-stable, stiffly accurate. Sandu et al.
// (1997), Atmospheric Environment 31. The dense output of order 2 is the smallest solution of the
// conditions up to order 2 for all theta; the source has none.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& rodas3();

const Method& rodas3() {
  static constexpr RosenbrockTable<4> table{
      .gamma = 0.5,
      .a = {{{}, {}, {2.0, 0.0}, {2.0, 0.0, 1.0}}},
      .c = {{{}, {4.0}, {1.0, -1.0}, {1.0, -1.0, -2.66666666666666667}}},
      .weights = {2.0, 0.0, 1.0, 1.0},
      .error = {0.0, 0.0, 0.0, 1.0},
      .abscissae = {0.0, 0.0, 1.0, 1.0},
      .time_weights = {0.5, 1.5, 0.0, 0.0},
      .dense = {{{3.0, -1.0, 0.0, 0.0}}},
      .dense_rows = 1};
  static_assert(defect(table).empty());
  static const RosenbrockCoefficients view(table);
  static const Method method =
      rosenbrock(view, {.name = "rodas3",
                        .order = 3,
                        .error_order = 2,
                        .dense_order = 2,
                        .orders = ClassOrders::all(3),
                        .stability = Stability::l_stable,
                        .stiffly_accurate = true,
                        .max_index = 1,
                        .reference = "Sandu et al. (1997), Atmospheric Environment 31",
                        .table = &view});
  return method;
}

}  // namespace daedalus::methods
