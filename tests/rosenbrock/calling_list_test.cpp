// SPDX-License-Identifier: BSD-3-Clause
// What the programs of Steinebach (1988), section 7.1, return to their caller, and our names for
// it.
#include "rosenbrock/support.hpp"

namespace daedalus::rosenbrock_test {
namespace {

// The calling list of the report: IER = 0, 1, 2, and HI as the last proposed step.
TEST(CallingList, ResultCodes) {
  for (const char* method : {"dae4sf", "dae34ns", "rodas4"}) {
    Options o = with_tolerance(method, 1e-4);
    o.control = "steinebach";
    o.initial_step = 1e-3;
    EXPECT_EQ(solve(circle(), {0.0, 1.0}, o).status(), Status::success) << method;  // 0
    // 1: h <= h_min after repeated failures of the error test.
    SemiExplicitProblem root = circle();
    root.f = autodiff([](const auto&, const auto&, const auto&, auto& f) { f[0] = 1.0; });
    root.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
      g[0] = z[0] * z[0] + y[0] - 1.0;
    });
    EXPECT_EQ(solve(root, {0.0, 2.0}, o).status(), Status::step_too_small) << method;
    // 2: the matrix is singular, here from y = 1 on, where the second equation vanishes.
    SemiExplicitProblem gone = circle();
    gone.f = autodiff([](const auto&, const auto&, const auto&, auto& f) { f[0] = 1.0; });
    gone.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
      g[0] = z[0] + z[1] - y[0];
      g[1] = (value_of(y[0]) < 1.0 ? 1.0 : 0.0) * (z[0] - z[1]);
    });
    gone.z0 = vec({0.0, 0.0});
    const Solution singular = solve(gone, {0.0, 2.0}, o);
    EXPECT_EQ(singular.status(), Status::singular_matrix) << method << singular.message();
    EXPECT_GE(singular.end_time(), 1.0) << method;
  }
}

TEST(CallingList, ProposedStepContinuesARun) {
  for (const char* method : {"dae4sf", "dae34ns", "rodas4", "rodas5p"}) {
    for (const char* control : {"auto", "steinebach"}) {
      Options o = with_tolerance(method, 1e-7);
      o.control = control;
      const Solution first = solve(circle(), {0.0, 0.61}, o);
      ASSERT_TRUE(first.ok()) << first.message();
      const double proposed = first.statistics().proposed_step;
      const double usual = 0.61 / static_cast<double>(first.statistics().accepted);
      EXPECT_GT(proposed, 0.3 * usual) << method << control;
      SemiExplicitProblem rest = circle();
      rest.y0 = first.end().of(VariableClass::y);
      rest.z0 = first.end().z();
      std::vector<double> h;
      o.trace = [&h](const StepRecord& r) { h.push_back(r.h); };
      o.initial_step = proposed;
      // The first run left errors within its tolerance in z.
      o.start = StartStrategy::given;
      const Solution second = solve(rest, {0.61, 1.2}, o);
      ASSERT_TRUE(second.ok()) << second.message();
      EXPECT_NEAR(h.front(), proposed, 1e-14) << method << control;
      // Steps of dae34ns are tested inside, where the errors left in z show until they have
      // decayed.
      const long max_rejected = std::string_view(method) == "dae34ns" ? 12 : 2;
      EXPECT_LE(second.statistics().rejected, max_rejected) << method << control;
      EXPECT_NEAR(second.end().y()[0], std::sin(1.2), 1e-5) << method << control;
      // A timid first step costs more.
      o.initial_step = 1e-6;
      EXPECT_GT(solve(rest, {0.61, 1.2}, o).statistics().accepted, second.statistics().accepted);
    }
  }
  // Limited like every step; the size itself for fixed steps.
  Options o = with_tolerance("rodas4", 1e-2);
  o.max_step = 0.01;
  EXPECT_EQ(solve(circle(), {0.0, 0.5}, o).statistics().proposed_step, 0.01);
  const Solution fixed = solve(circle(), {0.0, 0.5}, {.method = "rodas4", .fixed_step = 0.02});
  EXPECT_NEAR(fixed.statistics().proposed_step, 0.02, 1e-15);
}

}  // namespace
}  // namespace daedalus::rosenbrock_test
