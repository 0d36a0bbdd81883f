// SPDX-License-Identifier: BSD-3-Clause
// DAE34NS: explicit in y with the pair of Fehlberg, 6 stages, R(infinity) = 0. Order 3, on ordinary
// differential equations 4; the embedded solution, used for the estimate only, has order 4 (5).
// Steinebach (1988), section 7.2 f.
// The dense output of order 3 is the smallest solution of the conditions up to order 3 for all
// theta; the source has none.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& dae34ns();

const Method& dae34ns() {
  static constexpr RosenbrockBTable<6> table{
      .gamma = 0.125,
      .alpha = {{{},
                 {0.25},
                 {0.09375, 0.28125},
                 {0.879380974055530269, -3.27719617660446063, 3.32089212562585344},
                 {2.03240740740740741, -8.0, 7.17348927875243665, -0.205896686159844055},
                 {-0.296296296296296296, 2.0, -1.38167641325536062, 0.45297270955165692, -0.275}}},
      .gamma_ij = {{{},
                    {-0.25},
                    {-0.1875, -0.1875},
                    {-1.60309512972234866, 2.9631315430132, -2.28311333636777424},
                    {-3.47236689814814815, 7.3125, -5.50925925925925926, 0.122251157407407407},
                    {0.258364076967592593, -0.913628472222222222, 0.876663011695906433,
                     -0.418468928941276803, 0.2234375}}},
      .mu = {0.115740740740740741, 0.0, 0.548927875243664717, 0.535331384015594542, -0.2, 0.0},
      .mu_hat = {0.118518518518518519, 0.0, 0.51898635477582846, 0.506131490342016658, -0.18,
                 0.0363636363636363636},
      .abscissae = {0.0, 0.25, 0.375, 0.923076923076923077, 1.0, 0.5},
      .time_weights = {0.125, -0.125, -0.25, -0.798076923076923077, -1.421875, 0.1513671875},
      .dense = {{{0.856842909707656447, 0.0, -0.231898365231579173, -0.195495254512343756,
                  -0.0357126200897936298, -0.393736669873939889},
                 {-0.775625741187353149, 0.0, 0.644149207306474057, -0.127683508050857722,
                  -0.506548547933085793, 0.765708589864822607}}},
      .dense_rows = 2};
  static_assert(defect(table).empty());
  static const RosenbrockBCoefficients view(table);
  static const Method method =
      rosenbrock(view,
                 {.name = "dae34ns",
                  .order = 3,
                  .error_order = 4,
                  .dense_order = 3,
                  .orders = ClassOrders::all(3),
                  .max_index = 1,
                  .reference = "Steinebach (1988), report 29, Kaiserslautern, 7.2 f",
                  .table = &view},
                 {.differential_power = 4, .algebraic_power = 3});
  return method;
}

}  // namespace daedalus::methods
