// SPDX-License-Identifier: BSD-3-Clause
// Methods added from outside. That one of them runs and keeps the contract is shown by example 30.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedalus/solve.hpp>
#include <daedalus/stepper.hpp>

namespace daedalus {
namespace {

Method described(const std::string& name) {
  Method m;
  m.name = name;
  m.family = "own";
  m.error_order = 1;
  m.make = [](System&, const MethodSettings&) { return std::unique_ptr<Stepper>(); };
  return m;
}

std::string refusal(const Method& m) {
  try {
    add_method(m);
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "accepted";
}

TEST(OwnMethods, AreFoundByNameAndListedAfterTheLibrarysOwn) {
  const std::span<const Method* const> before = all_methods();
  const Method* first = before[0];
  const Method& added = add_method(described("own-listed"));
  EXPECT_EQ(find_method("own-listed"), &added);
  const std::span<const Method* const> after = all_methods();
  ASSERT_EQ(after.size(), before.size() + 1);
  EXPECT_EQ(after.back(), &added);
  EXPECT_EQ(before[0], first) << "spans handed out before stay valid";
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
}

TEST(OwnMethods, NamesThatAreTakenOrMalformedAreRefused) {
  for (const char* name : {"radau", "auto", "", "Upper", "two--dashes", "-x", "x-", "1x", "a b"})
    EXPECT_THAT(refusal(described(name)), ::testing::HasSubstr("name")) << name;
  EXPECT_THAT(refusal(described("radau")), ::testing::HasSubstr("'radau'"));
  add_method(described("own-once"));
  EXPECT_THAT(refusal(described("own-once")), ::testing::HasSubstr("'own-once'"));
}

TEST(OwnMethods, DescriptionsThatCannotWorkNameTheField) {
  Method m = described("own-broken");
  m.make = nullptr;
  EXPECT_THAT(refusal(m), ::testing::HasSubstr("make"));
  m = described("own-broken");
  m.view = View::mechanical;
  EXPECT_THAT(refusal(m), ::testing::HasSubstr("view"));
  m = described("own-broken");
  m.order = 0;
  EXPECT_THAT(refusal(m), ::testing::HasSubstr("order"));
  m = described("own-broken");
  m.error_order = 0;
  EXPECT_THAT(refusal(m), ::testing::HasSubstr("fixed_step_only"));
  EXPECT_EQ(find_method("own-broken"), nullptr);
}

}  // namespace
}  // namespace daedalus
