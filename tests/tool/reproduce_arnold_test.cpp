// SPDX-License-Identifier: BSD-3-Clause
// The experiments on Arnold (1998): the list is complete, every claim has the verdict it is known
// to have, and wrong claims are seen.
#include <gtest/gtest.h>

#include <cmath>

#include "reproduce/arnold_support.hpp"
#include "tool/reproduce_verdicts.hpp"

namespace daedalus::experiments::reproduce_arnold_test {
namespace {

TEST(Arnold, ListHoldsTheClaims) {
  expect_listed("arnold-HE-", 9);
  expect_listed("arnold-IN-", 9);
  expect_listed("arnold-MS-", 8);
}

KnownVerdicts known(const char* prefix) {
  KnownVerdicts k;
  k.prefix = prefix;
  // With k = 2 errors of two corrector steps cancel on this problem.
  k.deviating = {"arnold-MS-2.more.2"};
  // DASSL and seconds of 1997.
  k.open = [](const std::string& id) {
    return id == "arnold-IN-5.seconds" || id == "arnold-IN-8.DASSL";
  };
  return k;
}

constexpr const char* families[] = {"arnold-HE-", "arnold-IN-", "arnold-MS-"};

TEST(Arnold, QuickExperimentsHaveTheirVerdicts) {
  for (const char* family : families) expect_known_verdicts(known(family), 0.0, 0.4);
}
TEST(SlowArnold, LongExperimentsHaveTheirVerdicts) {
  for (const char* family : families) expect_known_verdicts(known(family), 0.4, 1e9);
}

// Negative controls of the comparisons.
TEST(Arnold, WorkAndErrorsSeeWrongNumbers) {
  using namespace arnold;
  std::vector<arnold::Run> runs(3);
  for (int i = 0; i < 3; ++i) {
    runs[static_cast<std::size_t>(i)].error.y = std::pow(10.0, -2.0 - i);
    runs[static_cast<std::size_t>(i)].steps.function_evaluations = 100 << i;
  }
  EXPECT_NEAR(work_at(runs, 1e-3), 200.0, 1e-9);
  EXPECT_NEAR(work_at(runs, std::pow(10.0, -2.5)), 100.0 * std::sqrt(2.0), 1e-9);
  EXPECT_TRUE(std::isnan(work_at(runs, 1e-5)));
  EXPECT_EQ(rates({8.0, 1.0, 0.25}), (std::vector<double>{3.0, 2.0}));
  // The norm (3.80) sees an error of one unit in one of seven angles and seven velocities.
  const arnold::Run coarse = constant_steps("andrews", "half-explicit-euler", 4000),
                    fine = constant_steps("andrews", "half-explicit-euler", 8000);
  EXPECT_GT(coarse.error.y, 1.5 * fine.error.y);
  EXPECT_LT(coarse.error.y, 3.0 * fine.error.y);
}

}  // namespace
}  // namespace daedalus::experiments::reproduce_arnold_test
