// SPDX-License-Identifier: BSD-3-Clause
// Orders with fixed steps as the theory has them: index 1: 2s - 1 in all variables; index 2: 2s - 1
// in y, s in z; index 3: at least 2s - 2 in y, s in z, s - 1 in u; s + 1 between the nodes. Hairer,
// Lubich, Roche (1989), sections 4 to 6; Jay (1993). In long double for all stages; the stepper
// itself for the orders that double shows.
#include <gtest/gtest.h>

#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/testing/order.hpp>

#include "radau/study.hpp"

namespace daedalus::radau_orders_test {
namespace {

using namespace radau_test;

std::vector<int> counts(int stages) {
  if (stages == 3) return {16, 23, 32, 45};
  return stages == 5 ? std::vector<int>{8, 12, 16} : std::vector<int>{4, 6, 8};
}

double order(Real value) { return static_cast<double>(value); }

TEST(RadauOrders, OfIndexOne) {
  for (const int s : {3, 5, 7}) {
    const Slopes p = slopes(s, index_1(), 4.0L, counts(s));
    for (int m = 0; m < 3; ++m) EXPECT_NEAR(order(p.end[m]), 2 * s - 1, 0.4) << s << " " << m;
  }
}

TEST(RadauOrders, OfIndexTwo) {
  for (const int s : {3, 5, 7}) {
    const Slopes p = slopes(s, index_2(), s == 7 ? 2.0L : 1.5L, counts(s));
    for (int m = 0; m < 2; ++m) EXPECT_NEAR(order(p.end[m]), 2 * s - 1, 0.4) << s << " " << m;
    EXPECT_NEAR(order(p.end[2]), s, 0.4) << s;
    EXPECT_NEAR(order(slopes(s, index_2(), 1.5L, {16, 23, 32}).dense), s + 1, 0.5) << s;
  }
}

TEST(RadauOrders, OfIndexThree) {
  for (const int s : {3, 5, 7}) {
    const Slopes p = slopes(s, index_3(), 2.0L, counts(s));
    for (int m = 0; m < 2; ++m) {
      EXPECT_GT(order(p.end[m]), 2 * s - 2.8) << s << " " << m;
      EXPECT_LT(order(p.end[m]), 2 * s - 0.6) << s << " " << m;
    }
    for (int m = 2; m < 4; ++m) EXPECT_NEAR(order(p.end[m]), s, 0.4) << s << " " << m;
    EXPECT_NEAR(order(p.end[4]), s - 1, 0.4) << s;
  }
}

// A node off by 1e-3 costs the quadrature its order: s remains.
TEST(RadauOrders, NeedTheNodes) {
  Table t(3);
  t.c[0] += 1e-2L;
  t.derivative[0][0] += 1e-2L;
  Collocation method(t, index_1());
  const Study study = index_1();
  std::array<Real, 2> errors{};
  for (int run = 0; run < 2; ++run) {
    Vector x{}, truth{};
    study.exact(0, x);
    const int count = 16 << run;
    for (int k = 0; k < count; ++k) method.step(2.0L * k / count, 2.0L / count, x);
    study.exact(2.0L, truth);
    errors[run] = std::abs(x[0] - truth[0]);
  }
  EXPECT_LT(order(std::log2(errors[0] / errors[1])), 3.5);
}

// The stepper of the library with order 9 and 13 on a problem of index 1, between the coarsest
// steps and round-off.
double measured(double order, const std::vector<double>& steps) {
  const problems::Entry& e = *problems::find_problem("brenan");
  std::vector<double> errors;
  for (const double h : steps) {
    const Solution s = solve(e.problem(), {0.0, 4.0},
                             {.method = "radau",
                              .rtol = 1e-12,
                              .atol = 1e-12,
                              .output = Output::end,
                              .fixed_step = h,
                              .method_options = {{"order", order}}});
    EXPECT_TRUE(s.ok()) << s.message();
    double worst = 0.0;
    for (const auto& [name, value] : e.exact(4.0, {}))
      worst = std::max(worst, std::abs(s.end()[name] - value));
    errors.push_back(worst);
  }
  return testing::observed_order(steps, errors, 0.0);
}

TEST(RadauOrders, OfTheStepper) {
  EXPECT_NEAR(measured(5, {0.5, 0.25, 0.125}), 5.0, 0.5);
  EXPECT_NEAR(measured(9, {2.0, 1.0, 0.5}), 9.0, 1.0);
  EXPECT_GT(measured(13, {4.0, 2.0}), 10.0);
}

}  // namespace
}  // namespace daedalus::radau_orders_test
