// SPDX-License-Identifier: BSD-3-Clause
// Attainable order against the number of stages, by search: Steinebach (1988), section 6.4.
#include "lab/attainable_order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "daedalus/types.hpp"
#include "lab/stability_angle.hpp"
#include "tables.hpp"

namespace daedalus::analysis {
namespace {

std::string label(bool explicit_in_y, int stages, int order) {
  return std::string(explicit_in_y ? "approach B" : "approach A") + ", " + std::to_string(stages) +
         " stages, order " + std::to_string(order);
}

// What a search claims to have found is judged by the order checker, which shares no code with it
// but the trees.
void expect_witness(const OrderSearchResult& result, bool explicit_in_y, int stages, int order) {
  ASSERT_TRUE(result.found) << label(explicit_in_y, stages, order) << ": " << result.residual;
  EXPECT_LT(result.residual, 1e-15);
  EXPECT_EQ(result.scheme.stages, stages);
  EXPECT_EQ(result.scheme.explicit_in_y, explicit_in_y);
  EXPECT_GE(attained_order(result.scheme, Weights::main, 1e-14).convergence(), order)
      << label(explicit_in_y, stages, order);
  EXPECT_LT(std::abs(StabilityFunction(result.scheme, Weights::main).at_infinity()), 0.96);
}

// A residual of this size is no rounding: the least ones found are 0.01 (one stage) and larger.
void expect_nothing(const OrderSearchResult& result, bool explicit_in_y, int stages, int order) {
  EXPECT_FALSE(result.found) << label(explicit_in_y, stages, order);
  EXPECT_GT(result.residual, 5e-3) << label(explicit_in_y, stages, order);
}

void expect_row(const AttainableOrder& row, bool explicit_in_y, int stages, int order) {
  EXPECT_EQ(row.explicit_in_y, explicit_in_y);
  EXPECT_EQ(row.stages, stages);
  EXPECT_EQ(row.order, order) << label(explicit_in_y, stages, order);
  expect_witness(row.witness, explicit_in_y, stages, order);
  if (order < 4) expect_nothing(row.next, explicit_in_y, stages, order + 1);
}

// (6.12) has 13 lines up to order 4, (6.17) has 18; up to order 3 with z up to 2: 5 and 6.
TEST(AttainableOrder, CountsTheConditionsOfSteinebach) {
  const std::vector<int> a{1, 2, 5, 13}, b{1, 2, 6, 18};
  for (int order = 1; order <= 4; ++order) {
    EXPECT_EQ(condition_count(false, order), a[order - 1]);
    EXPECT_EQ(condition_count(true, order), b[order - 1]);
  }
}

TEST(AttainableOrder, FewStages) {
  const OrderSearch fast{.starts = 10};
  for (const bool explicit_in_y : {false, true})
    for (int stages = 1; stages <= 3; ++stages)
      expect_row(attainable_order(explicit_in_y, stages, fast), explicit_in_y, stages, stages);
}

// The step from four to five stages, where approach A gains its order: four are not enough although
// there are 17 unknowns for 13 conditions.
TEST(AttainableOrder, FourStagesDoNotReachOrderFourFiveDo) {
  const OrderSearch fast{.starts = 5};
  expect_nothing(search_order(false, 4, 4, fast), false, 4, 4);
  expect_nothing(search_order(true, 4, 4, fast), true, 4, 4);
  expect_witness(search_order(false, 5, 4, fast), false, 5, 4);
  expect_witness(search_order(true, 6, 4, fast), true, 6, 4);
}

// One stage, order 2: gamma = 1/2 fulfils every condition, but R(infinity) = -1 does not converge
// (6.23). With the bound on R(infinity) beyond one the search must find just that table.
TEST(AttainableOrder, TheMidpointRuleFailsByStabilityAlone) {
  const OrderSearchResult midpoint =
      search_order(false, 1, 2, {.starts = 5, .max_r_infinity = 1.5});
  ASSERT_TRUE(midpoint.found);
  EXPECT_NEAR(static_cast<double>(midpoint.scheme.gamma[0]), 0.5, 1e-15);
  EXPECT_NEAR(StabilityFunction(midpoint.scheme, Weights::main).at_infinity(), -1, 1e-14);
  EXPECT_FALSE(search_order(false, 1, 2, {.starts = 5}).found);
}

TEST(AttainableOrder, TheSameSearchGivesTheSameTable) {
  const auto first = search_order(true, 3, 3), second = search_order(true, 3, 3);
  EXPECT_EQ(first.starts, second.starts);
  EXPECT_TRUE(first.scheme.alpha == second.scheme.alpha);
  EXPECT_FALSE(first.scheme.alpha == search_order(true, 3, 3, {.number = 2}).scheme.alpha);
}

TEST(AttainableOrder, RefusesMisuse) {
  EXPECT_THROW(search_order(false, 0, 1), InvalidArgument);
  EXPECT_THROW(search_order(false, 9, 1), InvalidArgument);
  EXPECT_THROW(search_order(false, 3, 5), InvalidArgument);
  EXPECT_THROW(search_order(false, 3, 3, {.starts = 0}), InvalidArgument);
  EXPECT_THROW(condition_count(true, 0), InvalidArgument);
}

// Section 6.4: (6.22) for approach A, (6.26) for approach B; five stages of approach B are left
// open there, and the search finds order 4.
TEST(SlowAttainableOrder, TheWholeTable) {
  const auto rows = attainable_order_table();
  const std::vector<int> a{1, 2, 3, 3, 4}, b{1, 2, 3, 3, 4, 4};
  ASSERT_EQ(rows.size(), a.size() + b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    expect_row(rows[i], false, static_cast<int>(i) + 1, a[i]);
  for (std::size_t i = 0; i < b.size(); ++i)
    expect_row(rows[a.size() + i], true, static_cast<int>(i) + 1, b[i]);
}

// The verdict on four stages does not hang on the bounds of the coefficients.
TEST(SlowAttainableOrder, FourStagesFailWithinWiderBoundsToo) {
  const OrderSearch wide{.starts = 300, .number = 5, .largest = 100, .min_gamma = 0.05};
  for (const bool explicit_in_y : {false, true}) {
    const OrderSearchResult result = search_order(explicit_in_y, 4, 4, wide);
    EXPECT_FALSE(result.found);
    EXPECT_GT(result.residual, 1e-3);
  }
}

// Kaps and Rentrop (1979): GRK4T is A(89.3 degrees)-stable, cut after one digit. Four stages and
// order 4 fix R by gamma = 0.231: the numerator is (1 - gamma z)^4 exp(z) cut after z^4, and a fine
// grid of that closed form gives 89.35411. One stage with gamma < 1/2 has
// |R(infinity)| > 1; gamma = 1/2 is the border of A-stability.
TEST(StabilityAngle, PublishedValues) {
  const auto angle = [](const RosenbrockScheme& scheme) {
    return stability_angle(StabilityFunction(scheme, Weights::main));
  };
  EXPECT_NEAR(angle(tables::grk4t), 89.35411, 1e-4);
  EXPECT_EQ(angle(tables::rodas4), 90);
  EXPECT_EQ(angle(tables::dae3ns), 0);
  RosenbrockScheme one_stage;
  one_stage.stages = 1;
  one_stage.alpha = {Quadruple(0)};
  one_stage.mu = one_stage.mu_hat = {Quadruple(1)};
  one_stage.gamma = {Quadruple(0.5)};
  EXPECT_EQ(angle(one_stage), 90);
  one_stage.gamma = {Quadruple(0.49)};
  EXPECT_EQ(angle(one_stage), 0);
}

}  // namespace
}  // namespace daedalus::analysis
