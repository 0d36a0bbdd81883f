// SPDX-License-Identifier: BSD-3-Clause
// Nothing is allocated in a step of the general form; the suites over all methods have multibody
// problems.
#include "count_allocations.hpp"
#include "half_explicit/support.hpp"

namespace daedalus {
namespace {

using namespace half_explicit_test;

#if DAEDALUS_COUNTS_MALLOC
TEST(HalfExplicitAllocation, NothingIsAllocatedAfterTheFirstSteps) {
  const Problem p = problems::find_problem("index2-p3")->problem();
  for (const char* method : family)
    for (const bool controlled : {false, true}) {
      Options o{.method = method, .output = Output::none, .fixed_step = 1.0 / 64};
      o.linear_algebra = LinearAlgebra::dense;
      if (controlled) {
        o.fixed_step = 0.0;
        o.max_step = o.initial_step = 1.0 / 64;
      }
      long before = 0, allocating = 0;
      o.progress = [&](const Progress& at) {
        if (at.steps > 10 && allocations != before) ++allocating;
        before = allocations;
      };
      const Solution s = run(p, {0.0, 1.0}, o);
      EXPECT_GE(s.statistics().accepted, 64);
      EXPECT_EQ(allocating, 0) << method << ", controlled " << controlled;
    }
}
#endif

}  // namespace
}  // namespace daedalus
