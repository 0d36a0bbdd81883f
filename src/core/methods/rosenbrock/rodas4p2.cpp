// SPDX-License-Identifier: BSD-3-Clause
// Rodas4P2: 6 stages, order 4(3), L-stable, stiffly accurate, dense output of order 3; improves
// Rodas4P for inexact Jacobians. Steinebach (2020), Progress in Differential-Algebraic Equations
// II.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& rodas4p2();

const Method& rodas4p2() {
  static constexpr RosenbrockTable<6> table{
      .gamma = 0.25,
      .a = {{{},
             {3.0},
             {0.906377755268814, -0.189707390391685},
             {3.758617027739064, 1.161741776019525, -0.849258085312803},
             {7.089566927282776, 4.573591406461604, -8.423496976860259, -0.959280113459775},
             {7.089566927282776, 4.573591406461604, -8.423496976860259, -0.959280113459775, 1.0}}},
      .c = {{{},
             {-12.0},
             {-6.354581592719008, 0.338972550544623},
             {-8.575016317114033, -7.606483992117508, 12.22499765012482},
             {-5.888975457523102, -8.15739661784182, 24.805546872612922, 12.790401512796979},
             {-4.408651676063871, -6.692003137674639, 24.625568527593117, 16.627521966636085,
              -5.714285714285718}}},
      .weights = {7.089566927282776, 4.573591406461604, -8.423496976860259, -0.959280113459775, 1.0,
                  1.0},
      .error = {0.0, 0.0, 0.0, 0.0, 0.0, 1.0},
      .abscissae = {0.0, 0.75, 0.321448134013046, 0.519745732277726, 1.0, 1.0},
      .time_weights = {0.25, -0.5, -0.189532918363016, 0.085612108792769, 0.0, 0.0},
      .dense = {{{-5.323528268423303, -10.042123754867493, 17.175254928256965, -5.079931171878093,
                  -0.016185991706112, 0.0},
                 {6.984505741529879, 6.914061169603662, -0.849178943070653, 18.104410789349338,
                  -3.516963011559032, 0.0}}},
      .dense_rows = 2};
  static_assert(defect(table).empty());
  static const RosenbrockCoefficients view(table);
  static const Method method = rosenbrock(
      view, {.name = "rodas4p2",
             .order = 4,
             .error_order = 3,
             .dense_order = 3,
             .orders = ClassOrders::all(4),
             .stability = Stability::l_stable,
             .stiffly_accurate = true,
             .max_index = 1,
             .reference = "Steinebach (2020), Progress in Differential-Algebraic Equations II",
             .table = &view});
  return method;
}

}  // namespace daedalus::methods
