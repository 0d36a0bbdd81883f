// SPDX-License-Identifier: BSD-3-Clause
// Changing any single nonzero coefficient by 1e-6 makes the check fail.
#include "perturbation.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tables.hpp"

namespace daedalus::analysis {
namespace {

constexpr double change = 1e-6;
using Names = std::vector<std::string>;

template <class View, class Table>
void expect_all_noticed(const char* name, const Table& table) {
  EXPECT_EQ(unnoticed_table_changes(View(table), published_norms(name), change), Names{}) << name;
}

TEST(Perturbation, OfAnyStoredCoefficientIsNoticed) {
  expect_all_noticed<RosenbrockCoefficients>("dae3s", tables::dae3s);
  expect_all_noticed<RosenbrockCoefficients>("dae4sf", tables::dae4sf);
  expect_all_noticed<RosenbrockCoefficients>("dae4sf-1988", tables::dae4sf_printed);
  expect_all_noticed<RosenbrockCoefficients>("rodas3", tables::rodas3);
  expect_all_noticed<RosenbrockCoefficients>("rodas3p", tables::rodas3p);
  expect_all_noticed<RosenbrockCoefficients>("ros34pw2", tables::ros34pw2);
  expect_all_noticed<RosenbrockCoefficients>("rodas4", tables::rodas4);
  expect_all_noticed<RosenbrockCoefficients>("rodas4pw", tables::rodas4pw);
  expect_all_noticed<RosenbrockCoefficients>("rodas5p", tables::rodas5p);
  expect_all_noticed<RosenbrockCoefficients>("rodas6p", tables::rodas6p);
  expect_all_noticed<RosenbrockCoefficients>("grk4t", tables::grk4t);
  expect_all_noticed<RosenbrockBCoefficients>("dae3ns", tables::dae3ns);
  expect_all_noticed<RosenbrockBCoefficients>("dae33ns", tables::dae33ns);
  expect_all_noticed<RosenbrockBCoefficients>("dae34ns", tables::dae34ns);
}

// Approach A: the order conditions alone suffice, without row sums and R(infinity).
TEST(Perturbation, OfApproachAIsNoticedByTheOrderConditionsAlone) {
  EXPECT_EQ(changes_missed_by_orders(tables::dae3s, change), Names{});
  EXPECT_EQ(changes_missed_by_orders(tables::dae4sf, change), Names{});
  EXPECT_EQ(changes_missed_by_orders(tables::dae4sf_printed, change), Names{});
  EXPECT_EQ(changes_missed_by_orders(tables::rodas3, change), Names{});
  EXPECT_EQ(changes_missed_by_orders(tables::rodas3p, change), Names{});
  EXPECT_EQ(changes_missed_by_orders(tables::ros34pw2, change), Names{});
  EXPECT_EQ(changes_missed_by_orders(tables::rodas4, change), Names{});
  EXPECT_EQ(changes_missed_by_orders(tables::rodas4pw, change), Names{});
  EXPECT_EQ(changes_missed_by_orders(tables::rodas5p, change), Names{});
  EXPECT_EQ(changes_missed_by_orders(tables::rodas6p, change), Names{});
  EXPECT_EQ(changes_missed_by_orders(tables::grk4t, change), Names{});
}

// A check that knows other norms than the table's own fails before any change.
TEST(Perturbation, WrongNormsAreNoticed) {
  EXPECT_EQ(unnoticed_table_changes(RosenbrockCoefficients(tables::rodas4),
                                    published_norms("rodas4p"), change),
            Names{"the table itself fails its check"});
}

// Approach B: gamma_i1 enters no order condition (Steinebach 1988, remark 6.18), because
// g_y l_1 + g_z k_1 = 0 for consistent values; nothing else goes unnoticed.
TEST(Perturbation, OfTheFirstColumnOfGammaIsInvisibleToTheConditionsOfApproachB) {
  EXPECT_EQ(changes_missed_by_orders(tables::dae3ns, change),
            (Names{"gamma[1][1]", "gamma[2][1]", "gamma[3][1]"}));
  EXPECT_EQ(changes_missed_by_orders(tables::dae34ns, change),
            (Names{"gamma[1][1]", "gamma[2][1]", "gamma[3][1]", "gamma[4][1]", "gamma[5][1]",
                   "gamma[6][1]"}));
}

}  // namespace
}  // namespace daedalus::analysis
