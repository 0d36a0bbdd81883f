// SPDX-License-Identifier: BSD-3-Clause
// The table of order 8: every condition of the solution, of both embedded solutions, of the
// continuous one, and of the stages that it needs; and the first order at which each fails.
#include <cmath>

#include <gtest/gtest.h>

#include "kernel/herk_families.hpp"
#include "kernel/order8_table.hpp"
#include "lab/classical_order.hpp"
#include "lab/herk_order.hpp"

namespace daedalus::analysis::order8_test {
namespace {

using Row = ClassicalConditions::Row;
constexpr int most = 9;
// Coefficients are given to 24 digits and more, up to 400; those inside a step to 1e-15 of these.
constexpr long double of_the_step = 1e-16L, inside_a_step = 1e-14L;
constexpr std::size_t stages = 16, end = 12;

std::vector<Row> stage_rows(const ExplicitTable& table) {
  std::vector<std::vector<ExactText>> texts{{}};
  texts.insert(texts.end(), table.a.begin(), table.a.end());
  texts.insert(texts.end(), table.later.begin(), table.later.end());
  return rows_of(texts, stages);
}

ClassicalConditions conditions_of(const ExplicitTable& table) { return {stage_rows(table), most}; }

long double node(const ExplicitTable& table, std::size_t stage) {
  long double sum = 0.0L;
  const std::vector<Row> rows = stage_rows(table);
  for (const long double a : rows[stage]) sum += a;
  return sum;
}

TEST(Order8, HasAsManyConditionsAsTreesAreKnown) {
  const ClassicalConditions conditions = conditions_of(order8_table());
  const int known[] = {1, 1, 2, 4, 9, 20, 48, 115, 286};
  for (int order = 1; order <= most; ++order)
    EXPECT_EQ(conditions.trees(order), known[order - 1]) << order;
}

// The checker and the one in exact arithmetic agree on a method that both know.
TEST(Order8, TheCheckerAgreesWithTheExactOne) {
  const HerkTable table = hedop5_table();
  const auto a = rows_of(table.a, 7);
  const ClassicalConditions conditions(a, 6);
  HerkConditions exact(table);
  const Row b = rows_of({table.b}, 7)[0], embedded = rows_of({table.embedded}, 7)[0];
  EXPECT_EQ(conditions.order(b, of_the_step), exact.classical_order());
  EXPECT_EQ(conditions.order(embedded, of_the_step), exact.classical_order(exact.embedded()));
}

TEST(Order8, SolutionAndEmbeddedSolutionsHaveTheirOrders) {
  const ExplicitTable& table = order8_table();
  const ClassicalConditions conditions = conditions_of(table);
  const Row b = stage_rows(table)[end], coarse = rows_of({table.coarse}, stages)[0];
  Row fine = b;
  const Row difference = rows_of({table.difference}, stages)[0];
  for (std::size_t j = 0; j < stages; ++j) fine[j] -= difference[j];
  EXPECT_EQ(conditions.order(b, of_the_step), 8);
  EXPECT_EQ(conditions.order(fine, of_the_step), 5);
  EXPECT_EQ(conditions.order(coarse, of_the_step), 3);
  EXPECT_GT(conditions.residual(b, 9), 1e-6L);
  EXPECT_GT(conditions.residual(fine, 6), 1e-5L);
  EXPECT_GT(conditions.residual(coarse, 4), 1e-3L);
}

TEST(Order8, TheSolutionInsideAStepHasOrderSeven) {
  const ExplicitTable& table = order8_table();
  const ClassicalConditions conditions = conditions_of(table);
  for (const double theta : {0.05, 0.25, 0.4, 0.6, 0.95}) {
    const std::vector<double> weights = weights_inside(table, theta);
    ASSERT_EQ(weights.size(), stages);
    EXPECT_EQ(conditions.order({weights.begin(), weights.end()}, inside_a_step, theta), 7) << theta;
  }
  const std::vector<double> at_end = weights_inside(table, 1.0);
  EXPECT_EQ(conditions.order({at_end.begin(), at_end.end()}, inside_a_step), 8);
  for (const double weight : weights_inside(table, 0.0)) EXPECT_EQ(weight, 0.0);
}

// lambda inside a step is interpolated through the later stages: their points have order 6.
TEST(Order8, LaterStagesHaveOrderSixAtTheirNodes) {
  const ExplicitTable& table = order8_table();
  const ClassicalConditions conditions = conditions_of(table);
  const std::vector<Row> rows = stage_rows(table);
  for (std::size_t stage = end + 1; stage < stages; ++stage)
    EXPECT_EQ(conditions.order(rows[stage], of_the_step, node(table, stage)), 6) << stage;
  EXPECT_NEAR(static_cast<double>(node(table, 13)), 1.0 / 10, 1e-15);
  EXPECT_NEAR(static_cast<double>(node(table, 14)), 1.0 / 5, 1e-15);
  EXPECT_NEAR(static_cast<double>(node(table, 15)), 7.0 / 9, 1e-15);
  // Those of the step itself would not do.
  EXPECT_EQ(conditions.order(rows[8], of_the_step, node(table, 8)), 4);
}

// One wrong digit anywhere in the rows of the step costs the order; so does one of the weights.
TEST(Order8, AWrongDigitShows) {
  const ExplicitTable& table = order8_table();
  for (std::size_t row = 0; row < table.a.size(); ++row) {
    std::vector<Row> a = stage_rows(table);
    for (const long double right : a[row + 1]) {
      if (right == 0.0L) continue;
      for (long double& x : a[row + 1])
        if (x == right) x *= 1.0L + 1e-9L;
      break;
    }
    const ClassicalConditions conditions(a, 8);
    EXPECT_LT(conditions.order(a[end], of_the_step), 8) << row;
  }
}

}  // namespace
}  // namespace daedalus::analysis::order8_test
