// SPDX-License-Identifier: BSD-3-Clause
// The experiments on Tischendorf (1992): the list is complete, every claim has the verdict it is
// known to have, and wrong claims are seen.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "reproduce/experiment.hpp"
#include "reproduce/tischendorf.hpp"
#include "reproduce/tischendorf_program.hpp"
#include "tool/reproduce_verdicts.hpp"

namespace daedalus::experiments::reproduce_tischendorf_test {
namespace {

// Scripts rely on these names.
TEST(Tischendorf, ListHoldsTheClaims) { expect_listed("tischendorf-R", 21); }

// Claims that do not hold here, and why.
const std::set<std::string> deviating{
    // Control 2 tests components whose estimate is O(h) instead of O(h^2): the number of steps is
    // decided by the rule after a rejection, which the thesis does not state.
    "tischendorf-R13.steps", "tischendorf-R13.explosion",
    // The test of the first step over all variables, as printed, forces it down to 1.5e-10; the
    // smallest step in the table is 1e-8.
    "tischendorf-R17.smallest-step",
    // None of 16 ways to read what is not stated gets through; the thesis calls the result
    // catastrophic in lambda, but it has one.
    "tischendorf-R16.control-2.0.1"};

// What depends on single steps: numbers of steps of Control 2 and of index 3, where the source
// itself has as many rejections as steps, and errors at one point. Verdicts may change with the
// compiler; what matters is that each is measured and, where it deviates, explained.
bool sensitive(const std::string& id) {
  const auto has = [&](const char* part) { return id.find(part) != std::string::npos; };
  const auto ends_with = [&](const std::string& end) {
    return id.size() >= end.size() && id.compare(id.size() - end.size(), end.size(), end) == 0;
  };
  if (id.rfind("tischendorf-R14.", 0) == 0) return ends_with(".x1") || ends_with(".errors");
  if (id.rfind("tischendorf-R15.", 0) == 0)
    return ends_with(".x1") || ends_with(".errors") || ends_with(".steps") || ends_with(".cost");
  if (id.rfind("tischendorf-R16.", 0) == 0)
    return has("pendulum-index3.") || has("control-1.") || ends_with(".lambda");
  if (id == "tischendorf-R17.cost") return true;
  if (id.rfind("tischendorf-R19.", 0) == 0)
    return ends_with(".last") || has("R19.2.0.0001") || has("R19.2.1e-06");
  return false;
}

// Another program, minutes on other machines, figures that are lost.
const std::set<std::string> open{"tischendorf-R17.DAE34", "tischendorf-R17.minutes",
                                 "tischendorf-R18.figures"};

const KnownVerdicts known{"tischendorf-", deviating,
                          [](const std::string& id) { return open.count(id) > 0; }, sensitive};

TEST(Tischendorf, QuickExperimentsHaveTheirVerdicts) { expect_known_verdicts(known, 0.0, 0.4); }
TEST(SlowTischendorf, LongExperimentsHaveTheirVerdicts) { expect_known_verdicts(known, 0.4, 1e9); }

std::vector<Claim> claims_of(const std::string& id) {
  Context context;
  for (const Experiment& experiment : tischendorf_experiments())
    if (experiment.id == id) return measure(experiment, context);
  return {};
}

const Claim* find(const std::vector<Claim>& claims, const std::string& id) {
  for (const Claim& claim : claims)
    if (claim.id == id) return &claim;
  return nullptr;
}

// Both sides of both ends, orders 1 to 6; without upper end for orders 1 and 2.
TEST(Tischendorf, StabilityIntervalIsTestedOnBothSidesOfBothEnds) {
  const auto claims = claims_of("tischendorf-R5");
  for (int k = 1; k <= 6; ++k) {
    std::vector<std::string> sides{"below-lower", "above-lower"};
    if (k < 3)
      sides.push_back("no-upper");
    else
      sides.insert(sides.end(), {"below-upper", "above-upper"});
    for (const std::string& side : sides) {
      const Claim* claim = find(claims, "tischendorf-R5." + std::to_string(k) + "." + side);
      ASSERT_NE(claim, nullptr) << k << " " << side;
      const bool stable = side == "above-lower" || side == "below-upper" || side == "no-upper";
      EXPECT_EQ(claim->measured.get<double>() < 1.0, stable) << claim->id;
    }
  }
}

// Negative control: 0.15 lies between the upper ends of orders 4 and 5, so that a run with the
// wrong order, or a claim with the wrong end, has the opposite sign.
TEST(Tischendorf, AWrongOrderOrEndIsSeen) {
  using namespace tischendorf;
  for (const int k : {3, 4, 5}) {
    EXPECT_EQ(error_growth(k, 0.15) < 1.0, k < 5) << k;
    EXPECT_EQ(max_root(k, 0.15) < 1.0, k < 5) << k;
  }
  // -2^-k: -0.2 is stable for order 2 and not for order 3.
  EXPECT_LT(error_growth(2, -0.2), 1.0);
  EXPECT_GT(error_growth(3, -0.2), 1.0);
  // The rate of a neighbouring order is not taken for the right one.
  EXPECT_GT(std::abs(error_growth(4, 0.15) - max_root(3, 0.15)), 0.05);
  EXPECT_GT(std::abs(error_growth(4, 0.15) - max_root(5, 0.15)), 0.05);
  EXPECT_NEAR(error_growth(4, 0.15), max_root(4, 0.15), 0.01);
}

// Negative controls of the comparisons.
TEST(Tischendorf, ComparisonsSeeWrongNumbers) {
  using namespace tischendorf;
  EXPECT_TRUE(within(2.0, 1.0, 2.0));
  EXPECT_FALSE(within(2.1, 1.0, 2.0));
  EXPECT_FALSE(within(0.49, 1.0, 2.0));
  EXPECT_FALSE(within(std::nan(""), 1.0, 2.0));
  EXPECT_EQ(factor_claim("", "", 1.0, 3.0, 2.0).verdict, Verdict::deviates);
  EXPECT_NEAR(slope({0.1, 0.05, 0.025}, {1e-2, 2.5e-3, 6.25e-4}), 2.0, 1e-12);
  // Control 2 does not pass for Control 1.
  EXPECT_GT(run("tischendorf-linear", 1.0, 1e-6, {.mode = 2}).accepted,
            5 * run("tischendorf-linear", 1.0, 1e-6).accepted);
}

}  // namespace
}  // namespace daedalus::experiments::reproduce_tischendorf_test
