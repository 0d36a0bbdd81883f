// SPDX-License-Identifier: BSD-3-Clause
// What cannot be run is refused on every rank with the same sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedalus/autodiff.hpp>

#include "ranks/world.hpp"

namespace daedalus::test {
namespace {

using testing::HasSubstr;

std::string refusal(const DistributedProblem& p, const Options& o) {
  std::string text;
  try {
    world().solve(p, {0.0, 1.0}, o);
  } catch (const InvalidArgument& e) {
    text = e.what();
  }
  EXPECT_EQ(world().first_to_differ(text), -1) << text;
  return text;
}

DistributedProblem line() { return part_of("transmission-line", {{"n", 12.0}}); }

TEST(UsageOverRanks, MethodsThatDoNotRun) {
  Options o;
  o.method = "hem5";
  EXPECT_THAT(refusal(line(), o),
              HasSubstr("'hem5' over ranks is not supported; those that are: bdf"));
  o.method = "rodas4";
  EXPECT_THAT(refusal(part_of("pde-2d", {{"n", 4.0}}), o), HasSubstr("index"));
}

TEST(UsageOverRanks, OptionsThatNeedOneProcess) {
  Options o;
  o.start = StartStrategy::solve;
  EXPECT_THAT(refusal(line(), o), HasSubstr("start = solve over ranks is not supported"));
  o = {};
  o.events.push_back({.name = "crossing"});
  EXPECT_THAT(refusal(line(), o), HasSubstr("'events' over ranks"));
  o = {};
  o.projector = Eigen::MatrixXd::Identity(2, 2);
  EXPECT_THAT(refusal(line(), o), HasSubstr("'projector' over ranks"));
  o = {};
  o.atol = 0.0;
  EXPECT_THAT(refusal(line(), o), HasSubstr("atol: 0"));
}

TEST(UsageOverRanks, RanksThatDisagree) {
  if (world().size() == 1) return;
  Options o;
  if (world().rank() == 1) o.rtol = 1e-4;
  EXPECT_EQ(refusal(line(), o), "rtol is 1e-06 on rank 0 and 0.0001 on rank 1");
  o = {};
  DistributedProblem p = line();
  if (world().rank() == 1) p.index = 0;
  EXPECT_THAT(refusal(p, o), HasSubstr("index is 1 on rank 0 and 0 on rank 1"));
}

TEST(UsageOverRanks, Ghosts) {
  if (world().size() == 1) return;
  const auto with = [](std::int64_t ghost, bool twice) {
    DistributedProblem p = line();
    if (world().rank() == 1) {
      p.ghosts = {ghost};
      if (twice) p.ghosts.push_back(ghost);
    }
    return p;
  };
  const int first = 4 * (12 / world().size());
  EXPECT_THAT(refusal(with(first, false), {}),
              HasSubstr(fmt::format("ghosts[0] = {} on rank 1 is its own unknown", first)));
  EXPECT_THAT(refusal(with(48, false), {}), HasSubstr("ghosts[0] = 48 on rank 1 is no unknown"));
  EXPECT_THAT(refusal(with(-1, false), {}), HasSubstr("is no unknown"));
  EXPECT_THAT(refusal(with(0, true), {}), HasSubstr("ghosts[1] = 0 on rank 1 is there twice"));
}

TEST(UsageOverRanks, StartValuesOfOneRank) {
  DistributedProblem p = line();
  const int last = world().size() - 1;
  if (world().rank() == last) p.y0[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal(p, {}),
              HasSubstr(fmt::format("y0: [2] = nan on rank {} (unknown {})", last,
                                    48 - 4 * (12 - 12 * last / world().size()) + 2)));
  p = line();
  if (world().rank() == last) p.y0.conservativeResize(3);
  EXPECT_THAT(refusal(p, {}), HasSubstr(fmt::format("y0: rank {} has 3 values", last)));
}

TEST(UsageOverRanks, InconsistentStartOfIndexTwoIsNamed) {
  DistributedProblem p = part_of("pde-2d", {{"n", 6.0}});
  const int last = world().size() - 1;
  if (world().rank() == last) p.y0[0] += 1.0;
  Options o;
  const DistributedSolution s = world().solve(p, {0.0, 1.0}, o);
  EXPECT_EQ(s.own.status(), Status::inconsistent_start);
  EXPECT_THAT(s.own.message(), HasSubstr("divergence in cell"));
  EXPECT_EQ(world().first_to_differ(s.own.message()), -1);
}

TEST(UsageOverRanks, AlgebraicStartValuesOfIndexOneAreFound) {
  DistributedProblem p = line();
  for (int k = 3; k < p.rows; k += 4) p.y0[k] = 0.5;  // junctions; the currents are 0
  Options o;
  const DistributedSolution s = world().solve(p, {0.0, 0.1}, o);
  ASSERT_TRUE(s.own.ok()) << s.own.message();
  for (int k = 3; k < p.rows; k += 4) EXPECT_NEAR(s.own.start().all()[k], 0.0, 1e-8);
  EXPECT_FALSE(s.own.warnings().empty());
}

}  // namespace
}  // namespace daedalus::test
