// SPDX-License-Identifier: BSD-3-Clause
// After its first ten steps no run allocates, whichever way [M G^T; G 0] is solved. Counted at
// malloc, since KLU and Eigen do not go through operator new; a sanitizer brings its own malloc and
// excludes this file.
#include <gtest/gtest.h>

#include <cstddef>

#include <catalogue/catalogue.hpp>

#include "multibody_structure/plates.hpp"

#include "count_allocations.hpp"

#if DAEDALUS_COUNTS_MALLOC

namespace daedalus::structure_test {
namespace {

long allocating_steps(const Problem& problem, const std::string& method, double h,
                      LinearAlgebra way) {
  long result = 0, before = 0;
  Options o{.method = method,
            .projection = ProjectionWhen::every_step,
            .output = Output::none,
            .fixed_step = h,
            .linear_algebra = way};
  o.progress = [&](const Progress& p) {
    if (p.steps > 10 && allocations != before) ++result;
    before = allocations;
  };
  const Solution s = solve(problem, {0.0, 40.0 * h}, o);
  EXPECT_TRUE(s.ok()) << s.message();
  return result;
}

TEST(StructureAllocation, NoneInAnyWay) {
  const Problem andrews = problems::find_problem("andrews")->problem();
  const Problem chain = problems::find_problem("chain-planar")->problem({{"n", 60.0}});
  for (const LinearAlgebra way : {LinearAlgebra::dense, LinearAlgebra::sparse,
                                  LinearAlgebra::range_space, LinearAlgebra::null_space})
    for (const char* method : {"rk4", "half-explicit-euler"}) {
      EXPECT_EQ(allocating_steps(andrews, method, 1e-6, way), 0) << method;
      EXPECT_EQ(allocating_steps(chain, method, 1e-5, way), 0) << method;
      EXPECT_EQ(allocating_steps(plates(20), method, 1e-5, way), 0) << method;
    }
}

TEST(StructureAllocation, TheCountSeesACallableThatAllocates) {
  MultibodyProblem p = plates(2);
  const auto force = [](double, In, In v, Out f) {
    const Eigen::VectorXd copy = v;
    f = -copy;
  };
  p.force = force;
  EXPECT_EQ(allocating_steps(p, "rk4", 1e-4, LinearAlgebra::dense), 30);
}

}  // namespace
}  // namespace daedalus::structure_test

#endif
