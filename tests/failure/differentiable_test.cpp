// SPDX-License-Identifier: BSD-3-Clause
// Failures of differentiable callables: values and derivatives that are not finite, contact
// functions, initial equations.
#include "failure/support.hpp"

namespace daedalus {
namespace {

using namespace failure_test;

// y' = 1 + sqrt(y) from y = 0: the value is fine, its derivative is infinite.
TEST(InfiniteDerivative, IsNamedWithItsCallable) {
  SemiExplicitProblem p;
  p.name = "root";
  p.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) {
    using std::sqrt;
    f[0] = 1.0 + sqrt(y[0]);
  });
  p.y0 = vec({0.0});
  const Solution s = solve(p, {0.0, 1.0}, options("rodas4"));
  EXPECT_EQ(s.status(), Status::not_finite) << s.message();
  EXPECT_THAT(s.message(), HasSubstr("'f'"));
  EXPECT_THAT(s.message(), HasSubstr("derivative"));  // the value itself is finite
}

template <class Fault>
MultibodyProblem sliding(Fault fault) {
  MultibodyProblem p;
  p.name = "sliding";
  p.space = euclidean(2);
  p.constraint_count = 1;
  p.contact_count = 1;
  p.force = autodiff([](const auto&, const auto&, const auto&, auto& f) {
    f[0] = 1.0;
    f[1] = -9.81;
  });
  p.contact = autodiff([fault](const auto& t, const auto& q, const auto& s, auto& h) {
    h[0] = q[0] - s[0] + fault(t);
  });
  p.constraint = autodiff(
      [](const auto&, const auto& q, const auto& s, auto& g) { g[0] = q[1] - 0.5 * s[0] * s[0]; });
  p.q0 = vec({1.0, 0.5});
  p.v0 = vec({0.0, 0.0});
  p.s0 = vec({1.0});
  return p;
}

TEST(ContactFunctions, ThatFailAreNamed) {
  for (const double from : {-1.0, 0.5})
    for (const auto& [method, formulation, step] :
         {std::tuple{"rk4", "index1", 0.0}, std::tuple{"rodas4", "index1", 0.0},
          std::tuple{"implicit-euler", "index3", 0.01},
          std::tuple{"half-explicit-euler", "index2", 0.01}}) {
      SCOPED_TRACE(std::string(method) + (from > 0.0 ? " later" : " at the start"));
      Options o = options(method, step, formulation);
      o.max_step = 0.05;
      const Solution n =
          solve(sliding([from](const auto& t) { return t >= from ? nan : 0.0; }), {0.0, 1.0}, o);
      good_until(n, std::max(from, 0.0));
      EXPECT_EQ(n.status(), Status::not_finite) << n.message();
      EXPECT_THAT(n.message(), HasSubstr("'contact'"));
      const Solution e = solve(sliding([from](const auto& t) {
                                 if (t >= from) throw std::runtime_error("lost contact");
                                 return 0.0;
                               }),
                               {0.0, 1.0}, o);
      good_until(e, std::max(from, 0.0));
      EXPECT_EQ(e.status(), Status::callback_failed) << e.message();
      EXPECT_THAT(e.message(), HasSubstr("'contact'"));
      EXPECT_THAT(e.message(), HasSubstr("lost contact"));
    }
}

TEST(InitialEquations, ThatFailAreNamed) {
  for (const StartStrategy strategy : {StartStrategy::automatic, StartStrategy::solve}) {
    Options o = options("rodas4");
    o.start = strategy;
    SemiExplicitProblem p = decay();
    p.initial_equation_count = 1;
    p.initial_equations = [](double, In, In, Out r) { r[0] = nan; };
    const Solution n = solve(p, {0.0, 1.0}, o);
    EXPECT_EQ(n.status(), Status::not_finite) << n.message();
    EXPECT_THAT(n.message(), HasSubstr("initial_equations"));
    p.initial_equations = [](double, In, In, Out) { throw std::runtime_error("no idea"); };
    const Solution e = solve(p, {0.0, 1.0}, o);
    EXPECT_EQ(e.status(), Status::callback_failed) << e.message();
    EXPECT_THAT(e.message(), HasSubstr("no idea"));
    EXPECT_THAT(e.message(), HasSubstr("initial_equations"));
  }
}

// Sinks, progress and trace callbacks are the user's too: what they throw passes through unchanged.
TEST(Observers, ExceptionsPassThrough) {
  struct Mine {};
  Options o = options("rodas4");
  o.progress = [](const Progress&) { throw Mine{}; };
  EXPECT_THROW(solve(decay(), {0.0, 1.0}, o), Mine);
}

TEST(Cancel, EndsTheRunWithItsStatus) {
  Options o = options("rodas4");
  o.max_step = 0.1;
  int asked = 0;
  o.cancel = [&asked] { return ++asked > 3; };
  const Solution s = solve(decay(), {0.0, 1.0}, o);
  EXPECT_EQ(s.status(), Status::cancelled);
  EXPECT_FALSE(s.ok());
  EXPECT_EQ(s.statistics().accepted, 3);
  EXPECT_THAT(s.message(), HasSubstr("cancelled"));
}

}  // namespace
}  // namespace daedalus
