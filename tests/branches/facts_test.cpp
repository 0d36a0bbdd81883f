// Facts that were once taken from the branch at the start: which forces depend on lambda, whether
// the mass matrix is constant; and what `check` tells of branches before a run.
#include "branches/support.hpp"

namespace daedalus::branches_test {
namespace {

// A block on a line, 0 = q2, pushed by 1 and pressed down by 10: from t = 1 on, friction 0.05
// lambda pushes back. v1(2) = 2 - 0.5.
MultibodyProblem block(bool point_form, Callable kind) {
  MultibodyProblem p;
  p.name = "block";
  p.space = euclidean(2);
  p.constraint_count = 1;
  const auto force = [](const auto& t, const auto& lambda, auto& f) {
    f[0] = 1.0 + 0.0 * t;
    f[1] = -10.0;
    if (t >= 1.0) f[0] = f[0] + 0.05 * lambda[0];
  };
  if (kind == Callable::plain && point_form)
    p.force = [force](const MultibodyPoint<double>& x, Out f) { force(x.t, x.lambda, f); };
  else if (kind == Callable::plain)
    p.force = [force](double t, In, In, In lambda, Out f) { force(t, lambda, f); };
  else if (point_form)
    p.force = autodiff([force](const auto& x, auto& f) { force(x.t, x.lambda, f); });
  else
    p.force = autodiff([force](const auto& t, const auto&, const auto&, const auto& lambda,
                               auto& f) { force(t, lambda, f); });
  p.constraint = autodiff([](const auto&, const auto& q, auto& g) { g[0] = q[1]; });
  p.q0 = vec({0.0, 0.0});
  p.v0 = vec({0.0, 0.0});
  return p;
}

TEST(BranchOfAForce, ThatBringsInLambdaIsSolvedForIt) {
  for (const bool point_form : {true, false})
    for (const Callable kind : {Callable::differentiable, Callable::plain})
      for (const char* method : {"rk4", "hedop5", "bdf", "auto"}) {
        SCOPED_TRACE(std::string(method) + (point_form ? " point" : " short"));
        Options o = options(method, 1e-7);
        // Steps that do not pass the jump tell friction from its absence by many tolerances.
        o.max_step = 0.01;
        const Solution s = solve(block(point_form, kind), {0.0, 2.0}, o);
        ASSERT_TRUE(s.ok()) << s.message();
        EXPECT_NEAR(s.end().v()[0], 1.5, 1e-4);
      }
}

// M doubles at t = 1: y' = -y until then, y' = -y / 2 afterwards.
TEST(BranchOfTheMass, IsNotTakenForAConstant) {
  MassMatrixProblem p;
  p.name = "doubled mass";
  p.index = 0;
  p.mass = autodiff([](const auto& t, const auto&, auto& M) {
    M(0, 0) = 1.0;
    if (t >= 1.0) M(0, 0) = 2.0;
  });
  p.rhs = autodiff([](const auto&, const auto& y, auto& f) { f[0] = -y[0]; });
  p.y0 = vec({1.0});
  for (const char* method : {"rodas4", "bdf", "radau5", "auto"}) {
    const Solution s = solve(p, {0.0, 2.0}, options(method, 1e-7));
    ASSERT_TRUE(s.ok()) << method << s.message();
    EXPECT_NEAR(s.end().y()[0], std::exp(-1.5), 1e-4) << method;
  }
}

TEST(Check, LooksIntoBranches) {
  for (const Callable kind : {Callable::differentiable, Callable::plain}) {
    MassMatrixProblem p = ring(6, false, kind);
    p.variables = {"a", "b", "c", "d", "e", "f"};
    const Check hidden = check(p, 0.0);
    const auto says = [](const Check& c) {
      for (const std::string& w : c.warnings)
        if (w.find("branch") != w.npos) return w;
      return std::string();
    };
    EXPECT_THAT(says(hidden), ::testing::HasSubstr("'equation 1' on 'b'"));
    MassMatrixProblem calm = p;
    calm.rhs = autodiff([](const auto&, const auto& y, auto& f) { f = -y; });
    EXPECT_EQ(says(check(calm, 0.0)), "");
  }
}

// Behind a comparison that only the other branch of the first one makes.
TEST(Check, LooksIntoBranchesOfBranches) {
  MassMatrixProblem p;
  p.name = "nested";
  p.index = 0;
  p.rhs = autodiff([](const auto& t, const auto& y, auto& f) {
    using std::max;
    f[0] = -y[0];
    f[1] = -max(y[1], 0.5);
    f[2] = -y[2];
    if (t > 1.0) {
      f[0] = f[0] - y[1];
      if (y[0] < -1.0) f[1] = f[1] - y[2];
    }
  });
  p.y0 = vec({1.0, 2.0, 3.0});
  std::string all;
  for (const std::string& w : check(p, 0.0).warnings) all += w;
  EXPECT_THAT(all, ::testing::HasSubstr("'equation 1' on 'y2'"));
  EXPECT_THAT(all, ::testing::HasSubstr("'equation 2' on 'y3'"));
}

}  // namespace
}  // namespace daedalus::branches_test
