// SPDX-License-Identifier: BSD-3-Clause
#include "tool/numbers.hpp"

#include <gtest/gtest.h>

#include <daedalus/types.hpp>

#include "tool/json.hpp"

namespace daedalus::cli {
namespace {

TEST(Numbers, PowersAndQuotients) {
  EXPECT_EQ(parse_number("--h", "1e-3"), 1e-3);
  EXPECT_EQ(parse_number("--h", "+2.5"), 2.5);
  EXPECT_EQ(parse_number("--h", "2^-3"), 0.125);
  EXPECT_EQ(parse_number("--h", "0.2/8000"), 0.2 / 8000);
  for (const char* wrong : {"", "x", "1e", "1e-3x", "2^", "1/0", "nan", "inf", "1 "})
    EXPECT_THROW(parse_number("--h", wrong), InvalidArgument) << wrong;
}

// Comparing each member with all before, as json[name] = value does, would take 2e10 comparisons.
TEST(Numbers, MembersOfLargeStatesInTheirOrder) {
  const std::size_t count = 200000;
  std::vector<std::string> names;
  std::vector<Json> values;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back("u" + std::to_string(count - i));
    values.push_back(number(0.5 * static_cast<double>(i)));
  }
  const Json json = members(names, std::move(values));
  ASSERT_EQ(json.size(), count);
  EXPECT_EQ(json.begin().key(), "u200000");
  EXPECT_EQ(json.front(), 0.0);
  EXPECT_EQ(json.back(), 0.5 * (count - 1));
  EXPECT_EQ(line(members({"a", "b"}, {number(1.5), Json(nullptr)})), R"({"a":1.5,"b":null})");
}

TEST(Numbers, StepRangesHalve) {
  EXPECT_EQ(parse_steps("--h", "2^-3:2^-6"),
            (std::vector<double>{0.125, 0.0625, 0.03125, 0.015625}));
  EXPECT_EQ(parse_steps("--h", "2^-6:2^-3"), parse_steps("--h", "2^-3:2^-6"));
  EXPECT_EQ(parse_steps("--h", "0.1:0.025").size(), 3u);  // 0.1, 0.05, 0.025
  EXPECT_EQ(parse_steps("--h", "0.1:0.03").size(), 2u);   // 0.025 would pass the end
  EXPECT_EQ(parse_steps("--h", "0.3,0.1"), (std::vector<double>{0.3, 0.1}));
  EXPECT_THROW(parse_steps("--h", "0.1:0"), InvalidArgument);
  EXPECT_THROW(parse_steps("--h", "0"), InvalidArgument);
}

TEST(Numbers, Assignments) {
  EXPECT_EQ(parse_assignment("--set", "length=-2").first, "length");
  EXPECT_EQ(parse_assignment("--set", "length=-2").second, -2.0);
  for (const char* wrong : {"length", "=2", "length=", "length=long"})
    EXPECT_THROW(parse_assignment("--set", wrong), InvalidArgument) << wrong;
}

TEST(Numbers, WholeOnes) {
  EXPECT_EQ(parse_whole("--n", "1e6", 1, 10'000'000), 1000000);
  EXPECT_EQ(parse_whole("--n", "2^10", 1, 2000), 1024);
  EXPECT_EQ(brief_whole(100000000), "1e8");
  EXPECT_EQ(brief_whole(1000), "1000");
  EXPECT_EQ(brief_whole(0), "0");
  for (const char* wrong : {"", "1.5", "0", "11", "1e400", "ten", "1e-1"})
    EXPECT_THROW(parse_whole("--n", wrong, 1, 10), InvalidArgument) << wrong;
}

TEST(Numbers, ShortForPeople) {
  EXPECT_EQ(brief(1e-6), "1e-6");
  EXPECT_EQ(brief(-2.5e11), "-2.5e11");
  EXPECT_EQ(brief(1e100), "1e100");
  EXPECT_EQ(brief(0.0), "0");
  EXPECT_EQ(brief(321.8122), "321.812");
}

TEST(Numbers, TimesForPeople) {
  EXPECT_EQ(brief_time(2e-6), "2 us");
  EXPECT_EQ(brief_time(0.0123), "12.3 ms");
  EXPECT_EQ(brief_time(3.5), "3.5 s");
  EXPECT_EQ(brief_time(125.0), "2 min 5 s");
}

}  // namespace
}  // namespace daedalus::cli
