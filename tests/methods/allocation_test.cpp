// SPDX-License-Identifier: BSD-3-Clause
// After its first ten steps no run allocates: every method, dense and (but for new pivots) sparse
// linear algebra, with and without projection, fixed and controlled steps. Counted at malloc, since
// KLU and Eigen do not go through operator new; a sanitizer brings its own malloc and excludes this
// file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "methods/models.hpp"

#include "count_allocations.hpp"

#if DAEDALUS_COUNTS_MALLOC

namespace daedalus::methods_test {
namespace {

constexpr long start_up = 10;
// KLU sizes its factors while it looks for pivots. A matrix that turns with the motion needs other
// pivots now and then; that step may allocate, the others may not. The motion turns about as often
// however many steps it takes.
constexpr long pivots_hold = 25, turns = 6;

struct Counted {
  long allocating = 0;  // steps with an allocation after the start-up
  long steps = 0;
  std::string message{};
};

Counted count(const Problem& problem, Interval interval, Options o) {
  Counted result;
  long before = 0;
  o.output = Output::none;
  o.progress = [&](const Progress& p) {
    if (p.steps > start_up && allocations != before) ++result.allocating;
    before = allocations;
  };
  const Solution s = solve(problem, interval, o);
  result.steps = s.statistics().accepted;
  result.message = s.ok() ? "" : s.message();
  return result;
}

class Allocation : public ::testing::TestWithParam<Case> {};

TEST_P(Allocation, NoneAfterTheFirstSteps) {
  const Case& c = GetParam();
  for (const LinearAlgebra algebra : {LinearAlgebra::dense, LinearAlgebra::sparse})
    for (const ProjectionWhen projection : {ProjectionWhen::none, ProjectionWhen::every_step})
      for (const bool controlled : {false, true}) {
        if (controlled && (c.method->error_order == 0 || c.method->fixed_step_only)) continue;
        Options o = c.options();
        o.rtol = c.method->order <= 2 ? 1e-4 : 1e-6;
        o.atol = o.rtol;
        o.linear_algebra = algebra;
        o.projection = projection;
        // High orders take few steps: the run has three times as many as its start-up.
        const double length = c.model->interval.to - c.model->interval.from;
        const double step = std::min(ladder(c)[2], length / (3.0 * start_up));
        o.initial_step = step;
        (controlled ? o.max_step : o.fixed_step) = step;
        const Counted counted = count(c.model->problem, c.model->interval, o);
        EXPECT_EQ(counted.message, "");
        EXPECT_GT(counted.steps, 2 * start_up) << "too short a run";
        const bool sparse = algebra == LinearAlgebra::sparse;
        EXPECT_LE(counted.allocating, sparse ? std::max(turns, counted.steps / pivots_hold) : 0)
            << "of " << counted.steps << " steps; sparse " << sparse << ", projection "
            << (projection == ProjectionWhen::every_step) << ", controlled " << controlled;
      }
}

INSTANTIATE_TEST_SUITE_P(Methods, Allocation, ::testing::ValuesIn(fixed_step_cases()), ByLabel{});

// The count sees what it should: a callable that allocates.
TEST(AllocationCheck, SeesACallableThatAllocates) {
  const Problem wasteful = MassMatrixProblem{.name = "wasteful",
                                             .rhs =
                                                 [](double, In y, Out f) {
                                                   const Eigen::VectorXd copy = y;
                                                   f = -copy;
                                                 },
                                             .y0 = Eigen::VectorXd::Ones(40),
                                             .index = 0};
  const Options o{.method = "rodas4", .fixed_step = 0.01};
  EXPECT_EQ(count(wasteful, {0.0, 1.0}, o).allocating, 100 - start_up);
}

}  // namespace
}  // namespace daedalus::methods_test

#endif
