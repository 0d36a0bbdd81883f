// SPDX-License-Identifier: BSD-3-Clause
// Exact numbers, and the families of half-explicit tables for any parameters.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <daedalus/types.hpp>

#include "half_explicit_order/tables.hpp"
#include "kernel/exact_number.hpp"
#include "kernel/herk_families.hpp"
#include "lab/herk_order.hpp"

namespace daedalus {
namespace {

using analysis::HerkConditions;
using analysis::HerkOrders;

ExactNumber exact(const char* text) { return ExactNumber::from_text(text); }

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ExactNumber, Fractions) {
  EXPECT_EQ((exact("1/3") + exact("1/6")).text(), "1/2");
  EXPECT_EQ((exact("-56/15") * exact("15/28")).text(), "-2");
  EXPECT_EQ((exact("1/3") - exact("1/3")).text(), "0");
  EXPECT_TRUE((exact("0.1") + exact("0.2") - exact("0.3")).is_zero());
  EXPECT_EQ(exact("2.5e-3").text(), "1/400");
  EXPECT_EQ(exact("1e2").text(), "100");
  EXPECT_EQ(exact("4/8").text(), "1/2");
  EXPECT_EQ(ExactNumber(-9223372036854775807LL).text(), "-9223372036854775807");
  EXPECT_EQ(exact("1/3").to_double(), 1.0 / 3);
  // Beyond any integer type.
  const ExactNumber power = exact("123456789012345678901234567891/77");
  EXPECT_EQ(power.text(), "123456789012345678901234567891/77");
  EXPECT_EQ((power * power / power - power).text(), "0");
  EXPECT_DOUBLE_EQ(number<double>(power.text()), 123456789012345678901234567891.0 / 77);
}

TEST(ExactNumber, OneSquareRoot) {
  const ExactNumber x = exact("1/2 - 1/6 sqrt(3)");
  EXPECT_EQ((x * x).text(), "1/3 - 1/6 sqrt(3)");
  EXPECT_EQ((ExactNumber(1) / x).text(), "3 + 1 sqrt(3)");
  EXPECT_TRUE((x * (ExactNumber(1) / x) - ExactNumber(1)).is_zero());
  EXPECT_EQ((exact("sqrt(3)") * exact("sqrt(3)")).root(), 0);
  EXPECT_EQ(exact("sqrt(12)").text(), "2 sqrt(3)");
  EXPECT_EQ(exact("sqrt(49)").text(), "7");
  EXPECT_EQ(exact("-7*sqrt(3)/108"), exact("-7/108 sqrt(3)"));
  EXPECT_DOUBLE_EQ(x.to_double(), 0.5 - std::sqrt(3.0) / 6);
  // 97 - 56 sqrt(3) = 1 / (97 + 56 sqrt(3)): digits that a plain sum loses.
  EXPECT_NEAR(exact("97 - 56 sqrt(3)").to_double() * (97 + 56 * std::sqrt(3.0)), 1, 1e-15);
  ExactNumber square = x;
  square *= square;
  EXPECT_EQ(square, x * x);
}

TEST(ExactNumber, RefusesWhatIsNoNumber) {
  const std::string mixed = message_of([] { exact("sqrt(3)") + exact("sqrt(6)"); });
  EXPECT_NE(mixed.find("sqrt(3) and sqrt(6)"), std::string::npos) << mixed;
  EXPECT_NE(message_of([] { exact("sqrt(3)") * exact("sqrt(2)"); }), "accepted");
  EXPECT_NE(message_of([] { exact("1/3") / exact("0"); }), "accepted");
  for (const char* text : {"", "1/", "1/0", "1/0.0", "a", "1 2", "sqrt(", "sqrt(-3)", "1//2", "2*",
                           "--1", "1.", ".5", "1e", "1e999", "(1+2)/3"})
    EXPECT_NE(message_of([&] { exact(text); }), "accepted") << text;
}

// The printed tables are members.
TEST(HerkFamilies, ContainThePrintedTables) {
  const auto equal = [](const std::vector<ExactText>& x, const std::vector<ExactText>& y) {
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(ExactNumber::from_text(x[i]), ExactNumber::from_text(y[i])) << i;
  };
  for (const auto& [made, given] : {std::pair(hedop5_table(), printed::hedop5()),
                                    std::pair(henew4_table(), printed::henew4())}) {
    ASSERT_EQ(made.stages(), given.stages());
    for (int i = 0; i < made.stages(); ++i) {
      equal(made.a[i], given.a[i]);
      equal(made.gamma[i], given.gamma[i]);
    }
    equal(made.b, given.b);
    equal(made.d, given.d);
    equal(made.embedded, given.embedded);
  }
  // Arnold (1998), Example 22 a and b.
  EXPECT_EQ(herk2_table("1/2").b, (std::vector<ExactText>{"0", "1"}));
  EXPECT_EQ(herk3_table("1/3").a[2], (std::vector<ExactText>{"0", "2/3"}));
  EXPECT_EQ(herk3_table("1/3").d, (std::vector<ExactText>{"1", "-3", "3"}));
}

// The closed form of row 6, the general solution of (3.78): a_65 = c6 (c6 - 1) (2 c6 - 1).
TEST(HerkFamilies, LastEntryOfHenew4) {
  for (const char* c6 : {"1/3", "-2", "1/2 - 1/6 sqrt(3)", "7/5"}) {
    const ExactNumber c = exact(c6), one(1), two(2);
    EXPECT_EQ(ExactNumber::from_text(henew4_table("2/5", c6, "3/7").gamma[4][4]),
              c * (c - one) * (two * c - one))
        << c6;
  }
}

// Any admissible parameters give the same orders, without a single condition left over.
TEST(HerkFamilies, EveryMemberHasItsOrders) {
  const auto expect = [](const HerkTable& table, int y, int z) {
    HerkConditions conditions(table);
    const HerkOrders orders = herk_orders(conditions);
    EXPECT_EQ(orders.y, y) << table.name << " " << table.a[1][0];
    EXPECT_EQ(orders.z, z) << table.name << " " << table.a[1][0];
    EXPECT_EQ(conditions.kappa(), "0");
  };
  for (const char* c2 : {"1/5", "-3", "17/19", "sqrt(2)", "0.123456789012345678901"}) {
    expect(herk2_table(c2), 2, 1);
    expect(herk3_table(c2), 3, 2);
    expect(henew4_table(c2, "2/7", "-5/11"), 4, 3);
  }
  expect(henew4_table("1", "1/2 + 1/6 sqrt(3)", "1 - sqrt(3)"), 4, 3);
  expect(hedop5_table("9/10", "-1/20"), 5, 4);
  expect(hedop5_table("1/2 - 1/10 sqrt(6)", "1/7"), 5, 4);
  expect(hedop5_table("-17/1009", "314159/1000003"), 5, 4);
}

TEST(HerkFamilies, SingularParametersAreNamed) {
  const auto names = [](const std::string& part, const std::function<void()>& action) {
    const std::string text = message_of(action);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  names("c2 = 0", [] { herk2_table("0"); });
  names("c2 = 0/3", [] { herk3_table("0/3"); });
  names("c2 = 0", [] { henew4_table("0"); });
  for (const std::string c6 : {"0", "1/2", "1", "0.5"})
    names("c6 = " + c6, [&] { henew4_table("2/5", c6); });
  names("c8 = 1", [] { hedop5_table("1"); });
  names("a87 = 0", [] { hedop5_table("19/20", "0"); });
  names("c2: ", [] { herk2_table("half"); });
  names("a62: ", [] { henew4_table("2/5", "1/3", "x"); });
  names("sqrt(2) and sqrt(3)", [] { henew4_table("sqrt(2)"); });  // c6 of HENEW4
}

TEST(HerkFamilies, AreListedWithTheirParameters) {
  std::vector<std::string> names;
  for (const HerkFamily& family : herk_families()) {
    names.emplace_back(family.name);
    std::vector<ExactText> parameters;
    for (const HerkParameter& p : family.parameters)
      parameters.emplace_back(p.usual.empty() ? "1/2" : p.usual);
    EXPECT_EQ(family.make(parameters).name, family.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"herk2", "herk3", "henew4", "hedop5"}));
}

}  // namespace
}  // namespace daedalus
