// SPDX-License-Identifier: BSD-3-Clause
// Start values of index 2 where a source begins to move: charges of 1e-15 beside voltages of 5 once
// led a rank astray, and the reduction of the index read rows that were not there.
#include <gtest/gtest.h>

#include <daedalus/solve.hpp>

#include "circuit/reference.hpp"

namespace daedalus {
namespace {

TEST(CircuitStart, SolvesOrRefusesAtBreakTimes) {
  const Entry entry = circuits::read("ringosc").entry();
  Options options;
  entry.apply(options);
  options.start = StartStrategy::solve;
  const Solution s = solve(entry.problem(), {entry.t0, entry.t_end}, options);
  // It ended in the middle of a call once; a run that cannot go on says where and why.
  if (!s.ok()) {
    EXPECT_GT(s.end_time(), entry.t0);
    EXPECT_FALSE(s.message().empty());
  }
}

}  // namespace
}  // namespace daedalus
