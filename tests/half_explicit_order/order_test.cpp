// SPDX-License-Identifier: BSD-3-Clause
// Order conditions of every printed table in exact arithmetic: which hold, how many fail at the
// next order, leading error coefficients, contractivity, and the orders of convergence that follow.
#include <chrono>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <daedalus/method.hpp>
#include <daedalus/types.hpp>

#include "half_explicit_order/tables.hpp"
#include "kernel/herk_families.hpp"
#include "lab/herk_counterexamples.hpp"
#include "lab/herk_order.hpp"

namespace daedalus::analysis {
namespace {

struct Expected {
  std::string label;
  HerkTable table;
  int y_fulfilled, z_fulfilled;  // all conditions up to this order hold
  int z_failing;                 // of the next order of T_z
  int y, z;                      // orders of convergence
};

std::vector<Expected> printed_tables() {
  return {{"HERK2 c2 = 1", herk2_table("1"), 2, 0, 2, 2, 1},
          {"HERK2 c2 = 1/2", herk2_table("1/2"), 2, 0, 2, 2, 1},
          {"HERK2 c2 = 2/3", herk2_table("2/3"), 2, 0, 2, 2, 1},
          {"HERK3 c2 = 1/2", herk3_table("1/2"), 3, 1, -1, 3, 2},
          {"HERK3 c2 = 1/3", herk3_table("1/3"), 3, 1, -1, 3, 2},
          {"HERK3 c2 = 1", herk3_table("1"), 3, 1, -1, 3, 2},
          {"HENEW4", printed::henew4(), 4, 2, 32, 4, 3},
          {"HEDOP5", printed::hedop5(), 5, 3, 290, 5, 4},
          {"PHEM56", printed::phem56(), 5, 3, -1, 5, 4},
          {"HEM4", printed::hem4(), 4, 1, 4, 4, 2}};
}

TEST(HerkOrder, EveryConditionOfThePrintedTables) {
  for (const Expected& e : printed_tables()) {
    HerkConditions conditions(e.table);
    for (int p = 1; p <= e.y_fulfilled; ++p)
      EXPECT_EQ(conditions.count(Index2Root::y, p).failing, 0) << e.label << " y " << p;
    EXPECT_GT(conditions.count(Index2Root::y, e.y_fulfilled + 1, 0, true).failing, 0) << e.label;
    for (int p = 1; p <= e.z_fulfilled; ++p)
      EXPECT_EQ(conditions.count(Index2Root::z, p).failing, 0) << e.label << " z " << p;
    const int failing = conditions.count(Index2Root::z, e.z_fulfilled + 1).failing;
    if (e.z_failing >= 0)
      EXPECT_EQ(failing, e.z_failing) << e.label;
    else
      EXPECT_GT(failing, 0) << e.label;
    EXPECT_EQ(conditions.kappa(), "0") << e.label;
    const HerkOrders orders = herk_orders(conditions);
    EXPECT_EQ(orders.q_y, e.y_fulfilled) << e.label;
    EXPECT_EQ(orders.q_z, e.z_fulfilled) << e.label;
    EXPECT_EQ(orders.y, e.y) << e.label;
    EXPECT_EQ(orders.z, e.z) << e.label;
  }
}

// Its decimals end after 16 digits, so the conditions hold up to what these leave.
TEST(HerkOrder, Hem5UpToItsDigits) {
  HerkConditions conditions(printed::hem5(), printed::hem5_residual_z);
  double worst_y = 0, worst_z = 0;
  for (int p = 1; p <= 5; ++p)
    worst_y = std::max(worst_y, conditions.count(Index2Root::y, p).largest);
  for (int p = 1; p <= 2; ++p)
    worst_z = std::max(worst_z, conditions.count(Index2Root::z, p).largest);
  EXPECT_LE(worst_y, printed::hem5_residual_y);
  EXPECT_LE(worst_z, printed::hem5_residual_z);
  EXPECT_GT(worst_y, 1e-14);  // they are not exact
  const HerkOrders orders = herk_orders(conditions);
  EXPECT_EQ(orders.q_y, 5);
  EXPECT_EQ(orders.q_z, 2);
  EXPECT_EQ(orders.y, 5);
  EXPECT_EQ(orders.z, 3);
  EXPECT_EQ(conditions.kappa_number(), 0);
  // In exact arithmetic the digits are not enough for order 2 already.
  HerkConditions exact(printed::hem5());
  EXPECT_LE(exact.local_order_y(), 1);
}

// Arnold (1998), Remark 28: the embedded solution has order 4 but for the direction of f_z.
TEST(HerkOrder, EmbeddedSolutionOfHedop5) {
  HerkConditions conditions(printed::hedop5());
  const int embedded = conditions.embedded();
  for (int p = 1; p <= 3; ++p)
    EXPECT_EQ(conditions.count(Index2Root::y, p, embedded).failing, 0) << p;
  const ConditionCount fourth = conditions.count(Index2Root::y, 4, embedded);
  EXPECT_EQ(fourth.trees, 192);
  EXPECT_EQ(fourth.failing, 32);
  EXPECT_EQ(fourth.plain, 80);
  EXPECT_EQ(fourth.plain_failing, 0);
  EXPECT_EQ(herk_orders(conditions).embedded, 4);
  HerkConditions last_row(with_embedded_row(printed::hedop5()));
  EXPECT_EQ(last_row.local_order_z(), 2);
  const ConditionCount third = last_row.count(Index2Root::z, 3);
  EXPECT_EQ(third.trees, 112);
  EXPECT_EQ(third.failing, 32);
}

// Hairer, Noersett, Wanner I, section II.6: order 4 for ordinary differential equations at every
// theta; here all conditions up to order 3, and those of order 4 whose tree is not f[u].
TEST(HerkOrder, DenseOutputOfHedop5) {
  HerkConditions conditions(printed::hedop5());
  for (const char* theta : {"1/7", "1/3", "1/2", "9/10"}) {
    const int weights = conditions.add_weights(hedop5_dense_weights(theta), theta);
    for (int p = 1; p <= 3; ++p)
      EXPECT_EQ(conditions.count(Index2Root::y, p, weights).failing, 0) << theta << " " << p;
    const ConditionCount fourth = conditions.count(Index2Root::y, 4, weights);
    EXPECT_EQ(fourth.plain_failing, 0) << theta;
    EXPECT_GT(fourth.failing, 0) << theta;
    EXPECT_EQ(conditions.classical_order(weights), 4) << theta;
    EXPECT_EQ(conditions.local_order_y(weights), 4) << theta;
  }
  // At the end it is the solution, at another theta these weights are nothing.
  EXPECT_EQ(conditions.local_order_y(conditions.add_weights(hedop5_dense_weights("1"))), 5);
  EXPECT_EQ(conditions.local_order_y(conditions.add_weights(hedop5_dense_weights("1/2"), "1/3")),
            0);
}

// The known 3.991e-4 of the pair of Dormand and Prince is the classical part of both.
TEST(HerkOrder, LeadingErrorCoefficients) {
  HerkConditions hedop5(printed::hedop5()), phem56(printed::phem56());
  EXPECT_NEAR(hedop5.classical_error(6).norm, 3.991e-4, 5e-8);
  EXPECT_NEAR(phem56.classical_error(6).norm, 3.991e-4, 5e-8);
  EXPECT_NEAR(hedop5.leading_error(Index2Root::z, 4).norm, 3.60e-2, 5e-5);
  EXPECT_NEAR(hedop5.leading_error(Index2Root::z, 4).largest, 5.1e-3, 5e-5);
  EXPECT_NEAR(hedop5.leading_error(Index2Root::y, 6).norm, 2.42e-2, 5e-5);
  EXPECT_NEAR(phem56.leading_error(Index2Root::z, 4).norm, 5.21e-2, 5e-5);
  EXPECT_NEAR(phem56.leading_error(Index2Root::z, 4).largest, 1.34e-2, 5e-5);
  EXPECT_NEAR(phem56.leading_error(Index2Root::y, 6).norm, 1.325e-2, 5e-6);
  EXPECT_EQ(hedop5.leading_error(Index2Root::y, 5).norm, 0);
}

// Arnold (1998), Table 3.2, written out for HERK3 with c2 = 1/2: w = ((1), (-1/2, 9/4),
// (-1/3, 0, 4/3)), chat = (0, 2/3, 1), c = (0, 1/2, 2/3), b = (1/4, 0, 3/4), d = (0, -2, 3).
TEST(HerkOrder, SumsOfTable32ByHand) {
  HerkTable table = herk3_table("1/2");
  table.d = {"0", "0", "1"};  // another d, so that the sums of T_z are not Pi
  table.b = {"0", "1", "0"};
  HerkConditions conditions(table);
  const auto residual = [&](const char* tree) {
    return conditions.residual(all_index2_trees().find(tree));
  };
  const double w22 = 9.0 / 4, c2 = 0.5, square = 4.0 / 9;
  EXPECT_EQ(residual("f"), 0);
  EXPECT_DOUBLE_EQ(residual("f[f]"), c2 - 1.0 / 2);
  EXPECT_DOUBLE_EQ(residual("f[f,f]"), c2 * c2 - 1.0 / 3);
  EXPECT_NEAR(residual("f[f,g[f,f]]"), c2 * w22 * square - 2.0 / 3, 1e-15);
  EXPECT_NEAR(residual("f[g[f,f],g[f,f]]"), w22 * square * w22 * square - 4.0 / 3, 1e-15);
  EXPECT_NEAR(residual("f[f[g[f,f]]]"), 0 - 1.0 / 3, 1e-15);
  EXPECT_NEAR(residual("g[f,f]"), 4.0 / 3 - 2, 1e-15);
  EXPECT_NEAR(residual("g[f[f]]"), 2.0 / 3 - 1, 1e-15);
}

TEST(HerkOrder, InverseOfTheConstraintRows) {
  const auto w = HerkConditions(printed::hedop5()).w();
  std::vector<ExactText> first;
  for (const auto& row : w) first.push_back(row.front());
  EXPECT_EQ(first,
            (std::vector<ExactText>{"1", "-1/3", "-5/8", "7/3", "12115/2187", "115/33", "0"}));
  EXPECT_EQ(w[6][6], "-75413/3280");
  EXPECT_EQ(w[6][3], "-115414334487/17801216000");
  const auto henew4 = HerkConditions(printed::henew4()).w();
  EXPECT_EQ(henew4[4][0], "0");
  EXPECT_EQ(henew4[4][4], "6 sqrt(3)");  // 1 / (sqrt(3) / 18)
}

// What the conditions are for (Arnold 1998, Remarks 18 and 21, Corollary 3).
TEST(HerkOrder, CounterexamplesFailForTheirReason) {
  for (const HerkTable& table : {rk4_without_explicit_stage(), dopri5_without_explicit_stage()}) {
    HerkConditions conditions(table);
    EXPECT_FALSE(conditions.explicit_first());
    const HerkOrders orders = herk_orders(conditions);
    EXPECT_EQ(orders.y, 2) << table.name;
    EXPECT_EQ(orders.z, 1) << table.name;
    EXPECT_EQ(orders.q_y, 2) << table.name;
    EXPECT_EQ(conditions.classical_order(), table.stages() == 4 ? 4 : 5);
  }
  HerkConditions one(henew4_kappa_one());
  EXPECT_EQ(one.kappa(), "1");
  const HerkOrders reduced = herk_orders(one);
  EXPECT_EQ(reduced.q_y, 4);
  EXPECT_EQ(reduced.q_z, 2);
  EXPECT_EQ(reduced.y, 0);
  EXPECT_NE(reduced.reason.find("kappa = 1"), std::string::npos);
  // d W = (1, -8, -2, 6), the solution of (3.77) with d_2 = 0.
  EXPECT_EQ(one.table().d, (std::vector<ExactText>{"0", "0", "0", "1"}));
  HerkConditions diverging(henew4_kappa_three_halves());
  EXPECT_EQ(diverging.kappa(), "3/2");
  EXPECT_NE(herk_orders(diverging).reason.find("diverges"), std::string::npos);
  EXPECT_EQ(herk_orders(diverging).y, 0);
  EXPECT_EQ(diverging.local_order_z(), 0);  // the sum of d is 1

  HerkConditions low(dopri5_low_z_order());
  EXPECT_TRUE(low.corollary_holds());
  const HerkOrders orders = herk_orders(low);
  EXPECT_EQ(orders.q_y, 5);
  EXPECT_EQ(orders.q_z, 2);
  EXPECT_EQ(orders.y, 5);
  EXPECT_EQ(orders.z, 3);
  EXPECT_EQ(low.kappa(), "0");
  EXPECT_NE(orders.reason.find("Corollary 3"), std::string::npos);
}

// Every condition of the corollary counts: without one of them Theorem 12 alone gives order 4.
TEST(HerkOrder, CorollaryNeedsAllItsConditions) {
  EXPECT_TRUE(HerkConditions(printed::hedop5()).corollary_holds());
  EXPECT_FALSE(HerkConditions(printed::phem56()).corollary_holds());   // gamma is not a_{i+1}
  EXPECT_FALSE(HerkConditions(printed::hem4()).corollary_holds());     // no explicit stage
  EXPECT_FALSE(HerkConditions(herk2_table("1")).corollary_holds());    // b_2 is not 0
  EXPECT_FALSE(HerkConditions(herk3_table("1/2")).corollary_holds());  // sum b c w_1 = -1/6
  HerkTable table = dopri5_low_z_order();
  table.gamma[6][0] += " + 1/1000";
  table.gamma[6][2] += " - 1/1000";
  EXPECT_FALSE(HerkConditions(table).corollary_holds());  // (3.42) in the last stage
}

TEST(HerkOrder, MethodsThatLeaveTheConstraintOrHaveAWrongSumOfDHaveNoOrder) {
  HerkTable table = herk2_table("1");
  table.b = {"1/4", "3/4"};
  HerkConditions left(table);
  EXPECT_FALSE(left.ends_on_constraint());
  EXPECT_EQ(herk_orders(left).y, 0);
  table = herk2_table("1");
  table.d = {"1/2", "1"};
  HerkConditions sum(table);
  EXPECT_EQ(sum.local_order_z(), -1);
  EXPECT_EQ(herk_orders(sum).y, 0);
}

TEST(HerkOrder, WrongShapesAreNamed) {
  const auto message = [](const std::function<void(HerkTable&)>& change) {
    HerkTable table = printed::henew4();
    change(table);
    try {
      HerkConditions conditions(table);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto names = [&](const std::string& part, const std::function<void(HerkTable&)>& change) {
    const std::string text = message(change);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  names("a[3]", [](HerkTable& t) { t.a[2].pop_back(); });
  names("gamma[2]", [](HerkTable& t) { t.gamma[1].push_back("0"); });
  names("gamma has 4 rows", [](HerkTable& t) { t.gamma.pop_back(); });
  names("b has 6", [](HerkTable& t) { t.b.resize(6, "0"); });
  names("d has 4", [](HerkTable& t) { t.d.pop_back(); });
  names("embedded has 2", [](HerkTable& t) { t.embedded.resize(2, "0"); });
  names("gamma[3][3]", [](HerkTable& t) { t.gamma[2][2] = "0"; });
  names("'1/x'", [](HerkTable& t) { t.a[2][0] = "1/x"; });
  names("sqrt(3)", [](HerkTable& t) { t.a[2][0] = "sqrt(6)"; });
  names("no rows", [](HerkTable& t) { t = {}; });
  EXPECT_THROW(HerkConditions(printed::henew4()).embedded(), InvalidArgument);
  EXPECT_THROW(HerkConditions(printed::henew4(), -1.0), InvalidArgument);
}

// What check-table does for HEDOP5 and what a test of 1e-6 repeats a hundred times.
TEST(HerkOrder, OrderFiveIsCheckedAtOnce) {
  const auto start = std::chrono::steady_clock::now();
  HerkConditions conditions(printed::hedop5());
  EXPECT_EQ(herk_orders(conditions).y, 5);
  conditions.leading_error(Index2Root::y, 6);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 2.0);  // 0.05 s; the sanitizers take ten times as long
}

// Built-in methods run the tables that are checked here.
TEST(HerkOrder, BuiltInMethodsKeepTheirOrders) {
  int count = 0;
  for (const Method* method : all_methods()) {
    if (method->family != "half-explicit" || method->table == nullptr) continue;
    const auto& table = *static_cast<const HerkTable*>(method->table);
    HerkConditions conditions(table, method->name == "hem5" ? printed::hem5_residual_z : 0.0);
    const HerkOrders orders = herk_orders(conditions);
    EXPECT_EQ(orders.y, method->order) << method->name;
    EXPECT_EQ(orders.z, method->orders[VariableClass::z]) << method->name;
    ++count;
    if (!table.embedded.empty()) {
      EXPECT_EQ(orders.embedded, method->error_order) << method->name;
    }
  }
  EXPECT_GE(count, 7);  // herk2, herk3, henew4, hedop5, hem4, hem5, phem56
}

}  // namespace
}  // namespace daedalus::analysis
