// SPDX-License-Identifier: BSD-3-Clause
// RODAS4: 6 stages, order 4(3), L-stable, stiffly accurate, third-order dense output. Hairer and
// Wanner, Solving Ordinary Differential Equations II (1996), section VI.4, code RODAS.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& rodas4();

const Method& rodas4() {
  static constexpr RosenbrockTable<6> table{
      .gamma = 0.25,
      .a = {{{},
             {1.544},
             {0.9466785280815826, 0.2557011698983284},
             {3.314825187068521, 2.896124015972201, 0.9986419139977817},
             {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895},
             {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1.0}}},
      .c = {{{},
             {-5.6688},
             {-2.430093356833875, -0.2063599157091915},
             {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
             {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616},
             {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
              -6.058818238834054}}},
      .weights = {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1.0,
                  1.0},
      .error = {0.0, 0.0, 0.0, 0.0, 0.0, 1.0},
      .abscissae = {0.0, 0.386, 0.21, 0.63, 1.0, 1.0},
      .time_weights = {0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0},
      .dense = {{{10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
                  1.025137723295662, 0.0},
                 {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
                  -6.594389125716872, 0.0}}},
      .dense_rows = 2};
  static_assert(defect(table).empty());
  static const RosenbrockCoefficients view(table);
  static const Method method = rosenbrock(view, {.name = "rodas4",
                                                 .order = 4,
                                                 .error_order = 3,
                                                 .dense_order = 3,
                                                 .orders = ClassOrders::all(4),
                                                 .stability = Stability::l_stable,
                                                 .stiffly_accurate = true,
                                                 .max_index = 1,
                                                 .reference = "Hairer, Wanner (1996), VI.4",
                                                 .table = &view});
  return method;
}

}  // namespace daedalus::methods
