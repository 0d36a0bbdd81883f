// SPDX-License-Identifier: BSD-3-Clause
// Rodas4P (RODASP): 6 stages, order 4(3), L-stable, stiffly accurate, dense output of order 3;
// meets further conditions against order reduction on linear parabolic problems. Steinebach (1995),
// preprint 1741, TH Darmstadt; method 3 of the code RODAS.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& rodas4p();

const Method& rodas4p() {
  static constexpr RosenbrockTable<6> table{
      .gamma = 0.25,
      .a = {{{},
             {3.0},
             {1.831036793486759, 0.4955183967433795},
             {2.304376582692669, -0.05249275245743001, -1.176798761832782},
             {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401},
             {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401,
              1.0}}},
      .c = {{{},
             {-12.0},
             {-8.791795173947035, -2.207865586973518},
             {10.81793056857153, 6.780270611428266, 19.5348594464241},
             {34.19095006749676, 15.49671153725963, 54.7476087596413, 14.16005392148534},
             {34.62605830930532, 15.30084976114473, 56.99955578662667, 18.40807009793095,
              -5.714285714285717}}},
      .weights = {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401,
                  1.0, 1.0},
      .error = {0.0, 0.0, 0.0, 0.0, 0.0, 1.0},
      .abscissae = {0.0, 0.75, 0.21, 0.63, 1.0, 1.0},
      .time_weights = {0.25, -0.5, -0.023504, -0.0362, 0.0, 0.0},
      .dense = {{{25.09876703708589, 11.62013104361867, 28.49148307714626, -5.664021568594133, 0.0,
                  0.0},
                 {1.638054557396973, -0.7373619806678748, 8.47791821923899, 15.9925314877952,
                  -1.882352941176471, 0.0}}},
      .dense_rows = 2};
  static_assert(defect(table).empty());
  static const RosenbrockCoefficients view(table);
  static const Method method =
      rosenbrock(view, {.name = "rodas4p",
                        .order = 4,
                        .error_order = 3,
                        .dense_order = 3,
                        .orders = ClassOrders::all(4),
                        .stability = Stability::l_stable,
                        .stiffly_accurate = true,
                        .max_index = 1,
                        .reference = "Steinebach (1995), preprint 1741, TH Darmstadt",
                        .table = &view});
  return method;
}

}  // namespace daedalus::methods
