// SPDX-License-Identifier: BSD-3-Clause
// What messages say is said of the state the run is in: its modes, both sides of a kink, the index
// that the values give. And the arithmetic of a run does not outlive it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <daedalus/autodiff.hpp>
#include <daedalus/integrator.hpp>
#include <daedalus/solve.hpp>

namespace daedalus::wrong_state_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Eigen::VectorXd vector(std::initializer_list<double> v) {
  return Eigen::Map<const Eigen::VectorXd>(v.begin(), static_cast<Eigen::Index>(v.size()));
}

// y' = -y until t = 1, then y' = y^2 from y = 1: beyond bounds at t = 2.
Problem ignition(double mode) {
  return MassMatrixProblem{.name = "ignition",
                           .rhs = autodiff([](const auto& x, auto& f) {
                             f[0] = x.modes[0] > 0.5 ? x.y[0] * x.y[0] : -x.y[0];
                           }),
                           .y0 = vector({1.0}),
                           .index = 0,
                           .variables = {"temperature"},
                           .modes = {mode}};
}

TEST(ModesInForce, AreThoseOfTheDiagnosis) {
  Options o{.method = "rodas4"};
  o.events = {{.name = "spark",
               .when = [](const StateView& s) { return s.t() - 1.0; },
               .action = EventAction::handle,
               .handler = [](EventContext& c) { c.modes[0] = 1.0, c.y[0] = 1.0; }}};
  const Solution burning = solve(ignition(1.0), {1.0, 3.0}, {.method = "rodas4"});
  const Solution lit = solve(ignition(0.0), {0.0, 3.0}, o);
  ASSERT_FALSE(burning.ok());
  ASSERT_FALSE(lit.ok());
  EXPECT_NEAR(lit.end_time(), 2.0, 1e-3);
  EXPECT_THAT(burning.message(), HasSubstr("driven by"));
  EXPECT_THAT(lit.message(), HasSubstr("driven by")) << "the mode of the start lets it decay";
}

// f = |y| at y = 0: its derivative from the right, from the left and between are all right.
TEST(Kink, IsNoWrongDerivative) {
  for (const double slope : {1.0, -1.0, 0.0, 5.0}) {
    const Problem p =
        MassMatrixProblem{.name = "kink",
                          .rhs = [](double, In y, Out f) { f[0] = 1.0 + std::abs(y[0]); },
                          .jacobian =
                              [slope](double, In y, MatrixOut J) {
                                J(0, 0) = y[0] == 0.0 ? slope : y[0] > 0.0 ? 1.0 : -1.0;
                              },
                          .y0 = vector({0.0}),
                          .index = 0,
                          .variables = {"y"}};
    const Solution s = solve(p, {0.0, 1.0}, {.method = "bdf"});
    ASSERT_TRUE(s.ok()) << s.message();
    std::string warnings;
    for (const std::string& w : s.warnings()) warnings += w;
    if (slope == 5.0)
      EXPECT_THAT(warnings, HasSubstr("derivative is wrong"));
    else
      EXPECT_THAT(warnings, Not(HasSubstr("derivative is wrong"))) << slope;
  }
}

// Reissig, Martinson, Barton (2000): index 1, and a structure that asks for three differentiations.
TEST(Index, OfTheValuesIsWhatIsSaid) {
  const Problem p =
      ImplicitProblem{.name = "ladder",
                      .residual = autodiff([](const auto&, const auto& y, const auto& yp, auto& r) {
                        r[0] = yp[1] + yp[2] + y[0];
                        r[1] = yp[1] + yp[2] + y[1];
                        r[2] = yp[3] + yp[4] + y[2];
                        r[3] = yp[3] + yp[4] + y[3];
                        r[4] = y[4] - 1.0;
                      }),
                      .y0 = vector({0.0, 0.0, 0.0, 0.0, 1.0}),
                      .yp0 = Eigen::VectorXd::Zero(5)};
  Options o{.method = "bdf", .max_steps = 1};
  const Solution s = solve(p, {0.0, 10.0}, o);
  ASSERT_EQ(s.status(), Status::too_many_steps) << s.message();
  EXPECT_THAT(s.message(), Not(HasSubstr("have index"))) << s.message();
}

double half_of_a_tiny_number() {
  volatile double tiny = std::numeric_limits<double>::min();
  return tiny * 0.5;
}

TEST(Denormals, AreZeroInARunAndOnlyThere) {
  ASSERT_GT(half_of_a_tiny_number(), 0.0);
  double inside = -1.0;
  const Problem p = MassMatrixProblem{.name = "decay",
                                      .rhs =
                                          [&](double t, In y, Out f) {
                                            inside = half_of_a_tiny_number();
                                            if (t > 0.5 && y[0] < 0.0) throw std::bad_alloc();
                                            f[0] = -y[0];
                                          },
                                      .y0 = vector({1.0}),
                                      .index = 0};
  ASSERT_TRUE(solve(p, {0.0, 1.0}, {.method = "rodas4"}).ok());
  EXPECT_EQ(inside, 0.0);
  EXPECT_GT(half_of_a_tiny_number(), 0.0) << "restored after a run";
  EXPECT_THROW(solve(p, {0.0, 1.0}, {.method = "rodas4", .atol = -1.0}), InvalidArgument);
  EXPECT_GT(half_of_a_tiny_number(), 0.0) << "and after an exception";
  Integrator run(p, {.method = "rodas4"});
  inside = -1.0;
  run.initialize(0.0, 1.0);
  EXPECT_EQ(inside, 0.0);
  EXPECT_GT(half_of_a_tiny_number(), 0.0);
  inside = -1.0;
  run.step(1.0);
  EXPECT_EQ(inside, 0.0);
  EXPECT_GT(half_of_a_tiny_number(), 0.0) << "and between steps";
}

}  // namespace
}  // namespace daedalus::wrong_state_test
