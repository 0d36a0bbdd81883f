// SPDX-License-Identifier: BSD-3-Clause
// W-methods with an old Jacobian: order on ordinary differential equations, work, and the way back
// to a new one.
#include <algorithm>

#include "rosenbrock/support.hpp"

namespace daedalus::rosenbrock_test {
namespace {

// y1' = y2, y2' = -sin y1 + 0.1 cos t.
SemiExplicitProblem pendulum() {
  SemiExplicitProblem p;
  p.name = "driven pendulum";
  p.f = autodiff([](const auto& t, const auto& y, const auto&, auto& f) {
    using std::cos, std::sin;
    f[0] = y[1];
    f[1] = -sin(y[0]) + 0.1 * cos(t);
  });
  p.y0 = vec({1.0, 0.5});
  return p;
}

Eigen::VectorXd end_of(const Problem& p, double T, const std::string& method, double h,
                       double jacobian_steps) {
  Options o{.method = method, .output = Output::end, .fixed_step = h};
  if (jacobian_steps > 1.0) o.method_options = {{"jacobian_steps", jacobian_steps}};
  const Solution s = solve(p, {0.0, T}, o);
  EXPECT_TRUE(s.ok()) << s.message();
  return s.end().y();
}

double observed_order(const Problem& p, const std::string& method, double jacobian_steps) {
  const double T = 2.0;
  const Eigen::VectorXd exact = end_of(p, T, "rodas5p", 1.0 / 1024, 1.0);
  const double coarse = (end_of(p, T, method, 1.0 / 64, jacobian_steps) - exact).norm();
  const double fine = (end_of(p, T, method, 1.0 / 128, jacobian_steps) - exact).norm();
  return std::log2(coarse / fine);
}

// The same Jacobian is kept for 16 and then 32 steps of half the length: its age in t stays the
// same.
TEST(OldJacobian, KeepsTheOrderOfWMethods) {
  EXPECT_NEAR(observed_order(pendulum(), "ros34pw2", 1.0), 3.0, 0.25);
  EXPECT_NEAR(observed_order(pendulum(), "ros34pw2", 1e6), 3.0, 0.25);
  EXPECT_NEAR(observed_order(pendulum(), "rodas4pw", 1e6), 4.0, 0.35);
}

// A Jacobian that is simply wrong: f_y = 0.3 I. W-methods keep their order, others do not.
TEST(WrongJacobian, IsHarmlessForWMethodsOnly) {
  SemiExplicitProblem wrong = pendulum();
  wrong.f_y = [](double, In, In, MatrixOut J) {
    J.setZero();
    J(0, 0) = J(1, 1) = 0.3;
  };
  const auto order = [&](const std::string& method) {
    const Eigen::VectorXd exact = end_of(pendulum(), 2.0, "rodas5p", 1.0 / 1024, 1.0);
    return std::log2((end_of(wrong, 2.0, method, 1.0 / 64, 1.0) - exact).norm() /
                     (end_of(wrong, 2.0, method, 1.0 / 128, 1.0) - exact).norm());
  };
  EXPECT_NEAR(order("ros34pw2"), 3.0, 0.25);
  EXPECT_NEAR(order("rodas4pw"), 4.0, 0.35);
  EXPECT_LT(order("rodas4"), 1.5);
  EXPECT_LT(order("rodas4p"), 1.5);
  EXPECT_LT(order("rodas5p"), 2.5);
}

// Second instance, on a DAE: the error estimate notices what the wrong blocks do, and the run still
// ends within a hundred tolerances, with more steps.
TEST(WrongJacobian, IsSeenByTheErrorTestOfADae) {
  SemiExplicitProblem wrong = time_dependent();
  wrong.f_y = [](double, In, In, MatrixOut J) { J(0, 0) = 1.5; };
  wrong.f_z = [](double, In, In, MatrixOut J) { J(0, 0) = 0.8, J(0, 1) = 0.2; };
  wrong.g_y = [](double, In, In, MatrixOut J) { J(0, 0) = 0.0, J(1, 0) = -1.0; };
  wrong.g_z = [](double t, In, In, MatrixOut J) {
    J.setZero();
    J(0, 0) = 1.0;
    J(1, 1) = 2.0 + std::sin(3.0 * t);
  };
  for (const char* method : {"ros34pw2", "rodas4pw"}) {
    const Solution good = solve(time_dependent(), {0.0, 2.0}, with_tolerance(method, 1e-6)),
                   bad = solve(wrong, {0.0, 2.0}, with_tolerance(method, 1e-6));
    ASSERT_TRUE(good.ok() && bad.ok()) << bad.message();
    EXPECT_LT((bad.end().y() - exact_time_dependent(2.0)).cwiseAbs().maxCoeff(), 1e-4) << method;
  }
}

// Mildly nonlinear and stiff: heat conduction with a weak reaction.
SemiExplicitProblem reaction() {
  constexpr int n = 20;
  SemiExplicitProblem p;
  p.name = "reaction";
  p.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) {
    for (int i = 0; i < n; ++i) {
      const auto left = i > 0 ? y[i - 1] : 0.0 * y[0];
      const auto right = i + 1 < n ? y[i + 1] : 0.0 * y[0];
      f[i] = 400.0 * (left - 2.0 * y[i] + right) + 0.5 * y[i] * (1.0 - y[i]);
    }
  });
  p.y0.resize(n);
  for (int i = 0; i < n; ++i) p.y0[i] = std::sin(3.14159 * (i + 1.0) / (n + 1.0));
  return p;
}

TEST(OldJacobian, SavesWorkOnAMildlyNonlinearProblem) {
  for (const char* method : {"ros34pw2", "rodas4pw"}) {
    Options o = with_tolerance(method, 1e-6);
    const Solution fresh = solve(reaction(), {0.0, 1.0}, o);
    o.method_options = {{"jacobian_steps", 20.0}};
    const Solution old = solve(reaction(), {0.0, 1.0}, o);
    ASSERT_TRUE(fresh.ok() && old.ok()) << old.message();
    EXPECT_LT((fresh.end().y() - old.end().y()).cwiseAbs().maxCoeff(), 1e-4);
    const Counts a = fresh.statistics().in(Phase::step), b = old.statistics().in(Phase::step);
    EXPECT_LT(3 * b.jacobian_evaluations, a.jacobian_evaluations) << method;
    EXPECT_LT(b.factorisations, a.factorisations) << method;
    EXPECT_LT(b.function_evaluations, 1.5 * static_cast<double>(a.function_evaluations)) << method;
  }
}

TEST(OldJacobian, IsGivenUpWhenTheErrorGrows) {
  // Van der Pol with mu = 30: through the fast phases an old Jacobian is useless.
  SemiExplicitProblem p;
  p.name = "van der Pol";
  p.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) {
    f[0] = y[1];
    f[1] = 30.0 * (1.0 - y[0] * y[0]) * y[1] - y[0];
  });
  p.y0 = vec({2.0, 0.0});
  Options o = with_tolerance("ros34pw2", 1e-6);
  o.method_options = {{"jacobian_steps", 1000.0}};
  const Solution old = solve(p, {0.0, 60.0}, o);
  const Solution exact = solve(p, {0.0, 60.0}, with_tolerance("rodas5p", 1e-10));
  ASSERT_TRUE(old.ok()) << old.message();
  EXPECT_LT((old.end().y() - exact.end().y()).cwiseAbs().maxCoeff(), 1e-2);
  // Far more often than every 1000 steps, far less often than in every one.
  EXPECT_GT(200 * old.statistics().in(Phase::step).jacobian_evaluations, old.statistics().accepted);
  EXPECT_LT(2 * old.statistics().in(Phase::step).jacobian_evaluations, old.statistics().accepted);
}

TEST(OldJacobian, IsAnOptionOfWMethodsOnly) {
  Options o = with_tolerance("rodas4", 1e-4);
  o.method_options = {{"jacobian_steps", 2.0}};
  EXPECT_THROW(solve(pendulum(), {0.0, 1.0}, o), InvalidArgument);
  o.method = "ros34pw2";
  EXPECT_TRUE(solve(pendulum(), {0.0, 1.0}, o).ok());
  for (const double wrong : {0.0, 1.5, -3.0}) {
    o.method_options = {{"jacobian_steps", wrong}};
    EXPECT_THROW(solve(pendulum(), {0.0, 1.0}, o), InvalidArgument) << wrong;
  }
}

}  // namespace
}  // namespace daedalus::rosenbrock_test
