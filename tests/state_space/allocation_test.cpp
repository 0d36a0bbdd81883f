// SPDX-License-Identifier: BSD-3-Clause
// No step allocates after the first ones, whether it lays a chart or not.
#include <gtest/gtest.h>

#include <catalogue/catalogue.hpp>

#include "formulation/lower.hpp"
#include "integrate/loop.hpp"
#include "state_space/models.hpp"

#include "count_allocations.hpp"

#if DAEDALUS_COUNTS_MALLOC

namespace daedalus::state_space_test {
namespace {

TEST(ChartAllocation, NoneInChartsAndAtTheirChanges) {
  struct Run {
    Problem problem;
    double t_end;
  };
  const Run runs[] = {{pendulum(), 3.0},
                      {particle_with_nonholonomic_row(), 2.0},
                      {problems::find_problem("andrews")->problem(), 0.03}};
  for (const char* name : {"rk4", "mdop5", "rodas4", "bdf"})
    for (const Run& run : runs) {
      const Method& method = *find_method(name);
      const auto problem = std::make_shared<const Problem>(run.problem);
      Options o;
      o.output = Output::none;
      Loop loop(lower(problem, "state-space", method.view, {}, 0.0), method, o, {}, {});
      ASSERT_EQ(loop.start(model_start(loop.system(), *problem, 0.0), run.t_end), Status::success);
      long steps = 0, allocating = 0, before = allocations;
      while (loop.t() < run.t_end) {
        ASSERT_EQ(loop.step(run.t_end).status, Status::success) << name;
        if (++steps > 10 && allocations != before) ++allocating;
        before = allocations;
      }
      EXPECT_EQ(allocating, 0) << name << " on " << name_of(run.problem) << ", " << steps
                               << " steps";
      EXPECT_GT(loop.statistics().chart_changes, 1) << name;
      EXPECT_GT(steps, 20) << name;
    }
}

}  // namespace
}  // namespace daedalus::state_space_test

#endif
