// SPDX-License-Identifier: BSD-3-Clause
// A substitute for DAE4S: 5 stages, order 4(3), L-stable. The coefficients of the original (Roche
// 1986, used by Steinebach 1988, section 7.2 b; gamma = 0.707, not A-stable) were not printed there
// and are lost. This set solves the same 13 conditions with R(infinity) = 0, an embedded solution
// of order 3 in the same stages and abscissae in [0, 1]; it is not the set behind the numbers of
// that report. The dense output of order 2 is the smallest solution of the conditions up to order 2
// for all theta; the source has none.
#include "methods/rosenbrock/engine.hpp"

namespace daedalus::methods {

const Method& dae4s();

const Method& dae4s() {
  static constexpr RosenbrockTable<5> table{
      .gamma = 0.568519823735145616,
      .a = {{{},
             {1.17498227175960613},
             {1.34693191529167, 0.798278862567754261},
             {1.62610171720468581, 0.676252360978075629, 0.117685620507001859},
             {0.915601006775704, -0.117963309800390101, 0.615567625300971398,
              -0.169067652495459563}}},
      .c = {{{},
             {-2.02902620895212828},
             {-0.841399262235913369, 0.35864510149938822},
             {-1.61933980131412266, -0.880357837148702509, -1.12837738570931055},
             {0.1576448172047, 0.676415248689793514, -0.298340502934855885, 2.42784568389818}}},
      .weights = {2.58234281353339682, 1.23501990579614113, 1.19134339369633784,
                  2.03708126941434258, -1.22846635466437202},
      .error = {0.0466499502358675313, 0.0159328253087889625, 0.188999425507830393,
                0.123701489169030242, -0.160923668675184582},
      .abscissae = {0.0, 0.668000714032692241, 0.696074570653810199, 0.898247073921274655,
                    0.717654415163315},
      .time_weights = {0.568519823735145616, -0.0872914562549095897, 0.278768684949867701,
                       -0.0900167799981065, 0.414373684616997068},
      .dense = {{{1.7010698445986122, 1.41982520299551107, -0.775466212582865676,
                  1.61967576568913296, -1.1612214846296082}}},
      .dense_rows = 1};
  static_assert(defect(table).empty());
  static const RosenbrockCoefficients view(table);
  static const Method method =
      rosenbrock(view,
                 {.name = "dae4s",
                  .order = 4,
                  .error_order = 3,
                  .dense_order = 2,
                  .orders = ClassOrders::all(4),
                  .stability = Stability::l_stable,
                  .max_index = 1,
                  .reference = "own solution of the conditions of Roche (1988), for the lost set "
                               "of Steinebach (1988), report 29, Kaiserslautern, 7.2 b",
                  .table = &view},
                 {.algebraic_power = 3, .subtract_inherited = 1});
  return method;
}

}  // namespace daedalus::methods
