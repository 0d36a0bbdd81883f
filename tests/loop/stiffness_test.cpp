// Stability, not accuracy, limits the step: the run says so and names another method. And states
// between steps that are projected before they are reported.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/daedalus.hpp>

namespace daedalus {
namespace {

// A bead on a circle with a damper: the slow motion is x = sin(t) or so, the damper's eigenvalue is
// -damping.
MultibodyProblem bead(double damping) {
  return {.name = "bead",
          .space = euclidean(2),
          .constraint_count = 1,
          .force = autodiff([damping](const auto& t, const auto& q, const auto& v, auto& f) {
            using std::cos;
            const auto wish = 0.3 * cos(t);
            f[0] = -damping * (v[0] + q[1] * wish);
            f[1] = -damping * (v[1] - q[0] * wish);
          }),
          .constraint = autodiff([](const auto&, const auto& q, auto& g) {
            g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
          }),
          .q0 = Eigen::Vector2d(1.0, 0.0),
          .v0 = Eigen::Vector2d(0.0, 0.3)};
}

std::string warnings_of(const Solution& s) {
  std::string all;
  for (const std::string& w : s.warnings()) all += w + '\n';
  return all;
}

TEST(StiffnessNotice, NamesTheTimeAndAnotherMethod) {
  for (const char* method : {"hedop5", "phem56", "mdop5"}) {
    const Solution s =
        solve(bead(2000.0), {0.0, 2.0}, {.method = method, .rtol = 1e-5, .atol = 1e-5});
    ASSERT_TRUE(s.ok()) << s.message();
    const std::string text = warnings_of(s);
    EXPECT_NE(text.find("stability and not accuracy"), std::string::npos) << method << ": " << text;
    EXPECT_NE(text.find(method), std::string::npos) << text;
    EXPECT_NE(text.find("rodas4"), std::string::npos) << text;
    // The advice is good: fewer steps by far.
    const Solution other =
        solve(bead(2000.0), {0.0, 2.0}, {.method = "rodas4", .rtol = 1e-5, .atol = 1e-5});
    ASSERT_TRUE(other.ok()) << other.message();
    EXPECT_LT(5 * other.statistics().steps(), s.statistics().steps());
  }
}

// Negative control: the same system with a soft damper, at loose and sharp tolerances.
TEST(StiffnessNotice, IsNotGivenWhereAccuracyLimitsTheStep) {
  for (const char* method : {"hedop5", "phem56", "mdop5"})
    for (const double tol : {1e-4, 1e-10}) {
      const Solution s =
          solve(bead(0.5), {0.0, 20.0}, {.method = method, .rtol = tol, .atol = tol});
      ASSERT_TRUE(s.ok()) << s.message();
      EXPECT_EQ(warnings_of(s), "") << method << " " << tol;
    }
}

// A pendulum that carries a mass on an undamped spring: the mass follows the pendulum, and its
// oscillation about that has the frequency omega and the amplitude given.
MultibodyProblem spring(double omega, double amplitude) {
  return {.name = "spring",
          .space = euclidean(3),
          .constraint_count = 1,
          .force = autodiff([omega](const auto&, const auto& q, const auto&, auto& f) {
            f[0] = 0.0;
            f[1] = -9.81;
            f[2] = -omega * omega * (q[2] - 0.1 * q[0]);
          }),
          .constraint = autodiff([](const auto&, const auto& q, auto& g) {
            g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
          }),
          .q0 = Eigen::Vector3d(0.6, -0.8, 0.06 + amplitude),
          .v0 = Eigen::Vector3d(0.8, 0.6, 0.08)};
}

struct Counted {
  long steps;
  std::string text;
};
Counted counted(const MultibodyProblem& p, double end, const char* method, double tol) {
  const Solution s = solve(p, {0.0, end}, {.method = method, .rtol = tol, .atol = tol});
  EXPECT_TRUE(s.ok()) << method << ": " << s.message();
  return {s.statistics().steps(), warnings_of(s)};
}

// An oscillation without damping whose amplitude is below the tolerance. That the notice is right
// is seen from the number of steps: hardly fewer with a hundred times the tolerance, and far fewer
// with the method that it names.
TEST(StiffnessNotice, SeesFastOscillationsThatNeedNotBeResolved) {
  for (const char* method : {"hedop5", "phem56", "mdop5", "henew4"}) {
    const MultibodyProblem p = spring(2000.0, 1e-7);
    const Counted sharp = counted(p, 0.5, method, 1e-6), loose = counted(p, 0.5, method, 1e-4);
    EXPECT_LT(static_cast<double>(sharp.steps), 1.25 * static_cast<double>(loose.steps)) << method;
    for (const Counted& c : {sharp, loose}) {
      EXPECT_NE(c.text.find("stability and not accuracy"), std::string::npos) << method;
      EXPECT_NE(c.text.find("rodas4"), std::string::npos) << c.text;
    }
    EXPECT_LT(5 * counted(p, 0.5, "rodas4", 1e-4).steps, loose.steps) << method;
  }
}

// Negative controls: no fast oscillation, and one that is part of the motion. There the number of
// steps follows the tolerance.
TEST(StiffnessNotice, IsNotGivenForOscillationsThatAreResolved) {
  for (const char* method : {"hedop5", "phem56", "mdop5", "henew4"}) {
    for (const double tol : {1e-3, 1e-5, 1e-8})
      EXPECT_EQ(counted(spring(5.0, 1e-7), 10.0, method, tol).text, "") << method << " " << tol;
    const MultibodyProblem large = spring(2000.0, 0.1);
    const Counted sharp = counted(large, 0.05, method, 1e-8),
                  loose = counted(large, 0.05, method, 1e-6);
    EXPECT_GT(static_cast<double>(sharp.steps), 2.0 * static_cast<double>(loose.steps)) << method;
    EXPECT_EQ(sharp.text + loose.text, "") << method;
  }
}

// Cubic or quartic polynomials between steps miss the circle; the projection puts them back on it
// and costs nothing in accuracy.
TEST(ProjectedOutput, StatesBetweenStepsSatisfyTheConstraints) {
  Options o{.method = "hedop5", .rtol = 1e-5, .atol = 1e-5};
  o.output = Output::times;
  for (int i = 1; i < 40; ++i) o.output_times.push_back(0.05 * i);
  const Solution plain = solve(bead(0.5), {0.0, 2.0}, o);
  o.project_output = true;
  const Solution projected = solve(bead(0.5), {0.0, 2.0}, o);
  ASSERT_TRUE(plain.ok() && projected.ok());
  EXPECT_GT(plain.statistics().velocity_residual, 1e-9);  // or there would be nothing to project
  EXPECT_LT(projected.statistics().position_residual, 1e-10);
  EXPECT_LT(projected.statistics().velocity_residual, 1e-10);
  EXPECT_EQ(plain.statistics().accepted, projected.statistics().accepted);
  EXPECT_EQ(plain.end().y(), projected.end().y());
  for (std::size_t i = 0; i < plain.times().size(); ++i)
    EXPECT_LT((plain.state(i).y().head(4) - projected.state(i).y().head(4)).norm(), 1e-4);
}

TEST(Statistics, LastStepErrorAndFailures) {
  const Solution s = solve(bead(0.5), {0.0, 2.0},
                           {.method = "rk4", .rtol = 1e-6, .atol = 1e-6, .initial_step = 1.0});
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_GE(s.statistics().error_test_failures, 1);
  EXPECT_EQ(s.statistics().error_test_failures, s.statistics().rejected);
  EXPECT_GT(s.statistics().last_error, 0.0);
  EXPECT_LE(s.statistics().last_error, 1.0);
  EXPECT_GT(s.statistics().last_step, 0.0);
  EXPECT_LE(s.statistics().last_step, s.statistics().h_max);
  EXPECT_EQ(s.statistics().projection_failures, 0);
}

}  // namespace
}  // namespace daedalus
