// SPDX-License-Identifier: BSD-3-Clause
// Any coefficient changed by 1e-6 makes the check fail: an order, the contractivity or the
// structure that the table has is lost.
#include <functional>

#include <gtest/gtest.h>

#include "half_explicit_order/tables.hpp"
#include "kernel/herk_families.hpp"
#include "lab/herk_order.hpp"

namespace daedalus::analysis {
namespace {

struct Found {
  int q_y, q_z, y, z, embedded;
  bool explicit_first, next_point, kappa_zero;

  bool operator==(const Found&) const = default;
};

Found check(const HerkTable& table, double bound, const Found* least) {
  HerkConditions conditions(table, bound);
  Found found{};
  found.explicit_first = conditions.explicit_first();
  // No order sees Z_1 of HEM4 and HEM5, nor gamma_11; that eta_1 = Y_2 is all that defines them.
  found.next_point = HerkNumbers<long double>(table).next_point;
  found.kappa_zero = conditions.kappa_number() <= bound;
  // Orders above those of the table itself need not be looked at.
  const int max_y = least ? least->q_y : Index2Trees::max_known_order;
  const int max_z = least ? least->q_z : Index2Trees::max_known_order - 1;
  found.q_y = conditions.local_order_y(0, max_y);
  found.q_z = conditions.local_order_z(max_z);
  if (!table.embedded.empty())
    found.embedded = conditions.local_order_y(conditions.embedded(), least ? least->embedded : 6);
  const bool starts = conditions.ends_on_constraint() && found.q_z >= 0;
  found.y = starts ? found.q_y : 0;
  found.z = starts ? found.q_z : -1;
  return found;
}

// Every entry of the table, zeros too, in turn.
void visit(HerkTable& table, const std::function<void(ExactText&, const std::string&)>& action) {
  const auto row = [&](std::vector<ExactText>& texts, const std::string& name) {
    for (std::size_t j = 0; j < texts.size(); ++j)
      action(texts[j], name + "[" + std::to_string(j + 1) + "]");
  };
  for (std::size_t i = 0; i < table.a.size(); ++i)
    row(table.a[i], "a[" + std::to_string(i + 1) + "]");
  for (std::size_t i = 0; i < table.gamma.size(); ++i)
    row(table.gamma[i], "gamma[" + std::to_string(i + 1) + "]");
  row(table.b, "b");
  row(table.d, "d");
  row(table.embedded, "embedded");
}

// Changes that are not noticed.
std::vector<std::string> unnoticed(HerkTable table, double bound, int& changed) {
  const Found before = check(table, bound, nullptr);
  std::vector<std::string> missed;
  for (const char* change : {" + 1/1000000", " - 1/1000000"}) {
    visit(table, [&](ExactText& text, const std::string& name) {
      const ExactText original = text;
      text += change;
      ++changed;
      if (check(table, bound, &before) == before) missed.push_back(name + change);
      text = original;
    });
  }
  return missed;
}

using Missed = std::vector<std::string>;

TEST(HerkPerturbation, SmallTables) {
  int changed = 0;
  for (const char* c2 : {"1", "1/2", "2/3"})
    EXPECT_EQ(unnoticed(herk2_table(c2), 0, changed), Missed{}) << "herk2 " << c2;
  EXPECT_EQ(changed, 3 * 2 * (1 + 3 + 2 + 2));
  for (const char* c2 : {"1/2", "1/3", "1"})
    EXPECT_EQ(unnoticed(herk3_table(c2), 0, changed), Missed{}) << "herk3 " << c2;
  EXPECT_EQ(unnoticed(printed::henew4(), 0, changed), Missed{});
  EXPECT_EQ(unnoticed(printed::hem4(), 0, changed), Missed{});
}

TEST(HerkPerturbation, Hedop5) {
  int changed = 0;
  EXPECT_EQ(unnoticed(printed::hedop5(), 0, changed), Missed{});
  EXPECT_EQ(changed, 2 * (21 + 28 + 6 + 7 + 7));
}

TEST(HerkPerturbation, Phem56) {
  int changed = 0;
  EXPECT_EQ(unnoticed(printed::phem56(), 0, changed), Missed{});
}

TEST(HerkPerturbation, Hem5) {
  int changed = 0;
  EXPECT_EQ(unnoticed(printed::hem5(), printed::hem5_residual_z, changed), Missed{});
}

// The control: a change that keeps all conditions is a member of the family, and passes.
TEST(HerkPerturbation, OtherMembersOfAFamilyPass) {
  const Found henew4 = check(printed::henew4(), 0, nullptr);
  EXPECT_EQ(check(henew4_table("400001/1000000"), 0, nullptr), henew4);
  EXPECT_EQ(check(henew4_table("2/5", "1/2 - 1/6 sqrt(3)", "1/1000000"), 0, nullptr), henew4);
  const Found hedop5 = check(printed::hedop5(), 0, nullptr);
  EXPECT_EQ(check(hedop5_table("950001/1000000"), 0, nullptr), hedop5);
}

}  // namespace
}  // namespace daedalus::analysis
