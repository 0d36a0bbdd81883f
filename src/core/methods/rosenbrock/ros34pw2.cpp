// SPDX-License-Identifier: BSD-3-Clause
// ROS34PW2: 4 stages, order 3(2), L-stable, stiffly accurate. A W-method: on ordinary differential
// equations order 3(2) holds with any matrix in place of the Jacobian. Rang and Angermann (2005),
// BIT 45. The dense output of order 2 is the smallest solution of the conditions up to order 2 for
// all theta; the source has none.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& ros34pw2();

const Method& ros34pw2() {
  static constexpr RosenbrockTable<4> table{
      .gamma = 0.435866521508459,
      .a = {{{},
             {2.0},
             {1.4192173174557647, -0.2592322116729697},
             {4.18476048231916, -0.28519201735549593, 2.294280360279042}}},
      .c = {{{},
             {-4.588560720558084},
             {-4.18476048231916, 0.28519201735549593},
             {-6.368179200128359, -6.795620944466837, 2.8700986043310563}}},
      .weights = {4.1847604823191595, -0.28519201735549565, 2.2942803602790414, 1.0},
      .error = {0.2777499476479681, -1.4032398951759992, 1.7726301276675507, 0.5},
      .abscissae = {0.0, 0.871733043016918, 0.7315799577888524, 1.0},
      .time_weights = {0.435866521508459, -0.435866521508459, -0.4133333762338865, 0.0},
      .dense = {{{-2.04431371313622, -5.10975086330701184, 3.23255150532943425,
                  -1.83918463250377965}}},
      .dense_rows = 1};
  static_assert(defect(table).empty());
  static const RosenbrockCoefficients view(table);
  static const Method method = rosenbrock(view,
                                          {.name = "ros34pw2",
                                           .order = 3,
                                           .error_order = 2,
                                           .dense_order = 2,
                                           .orders = ClassOrders::all(3),
                                           .stability = Stability::l_stable,
                                           .stiffly_accurate = true,
                                           .max_index = 1,
                                           .reference = "Rang, Angermann (2005), BIT 45",
                                           .table = &view},
                                          {.any_jacobian = true, .subtract_inherited = 1});
  return method;
}

}  // namespace daedalus::methods
