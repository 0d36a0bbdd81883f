// Callables that read past the end of what they are given are refused before the first step, by
// name and size, as those that write past it are.
#include "failure/support.hpp"

namespace daedalus {
namespace {

using namespace failure_test;

template <class F>
Problem reading(F&& f, bool differentiable) {
  MassMatrixProblem p;
  p.name = "reading";
  if (differentiable)
    p.rhs = autodiff(f);
  else
    p.rhs = [f](double t, In y, Out out) { f(t, y, out); };
  p.y0 = vec({1.0, 2.0});
  return p;
}

TEST(ReadingPastTheEnd, IsRefusedWithNameAndSize) {
  for (const bool differentiable : {false, true}) {
    const auto one = [](const auto&, const auto& y, auto& f) {
      f[0] = -y[0];
      f[1] = -y.data()[2];
    };
    refused(reading(one, differentiable), {"reading", "rhs", "reads", "2"});
    const auto far = [](const auto&, const auto& y, auto& f) {
      f[0] = -y[0];
      f[1] = -y[1] + 0.0 * y.data()[9];
    };
    refused(reading(far, differentiable), {"reading", "rhs", "reads", "2"});
    const auto before = [](const auto&, const auto& y, auto& f) {
      f[0] = -y.data()[-1];
      f[1] = -y[1];
    };
    refused(reading(before, differentiable), {"reading", "rhs", "reads", "2"});
    const auto good = [](const auto&, const auto& y, auto& f) {
      f[0] = -y[0];
      f[1] = -y[1];
    };
    EXPECT_TRUE(solve(reading(good, differentiable), {0.0, 1.0}, {}).ok());
  }
}

// Only derivatives see what is multiplied by a value of zero or goes through a comparison.
TEST(ReadingPastTheEnd, IsSeenThroughMaximaAndParameters) {
  const auto through_maximum = [](const auto&, const auto& y, auto& f) {
    using std::max;
    f[0] = -max(y[0], y.data()[2]);
    f[1] = -y[1];
  };
  refused(reading(through_maximum, true), {"rhs", "reads"});
  MassMatrixProblem p;
  p.name = "parameters";
  p.rhs = autodiff([](const auto& x, auto& f) { f[0] = -x.p.data()[1] * x.y[0]; });
  p.parameters = {{"k", 1.0}};
  p.y0 = vec({1.0});
  refused(p, {"rhs", "reads", "parameter"});
  p.rhs = autodiff([](const auto& x, auto& f) { f[0] = -x.modes.data()[0] * x.y[0]; });
  refused(p, {"rhs", "reads", "mode"});
}

TEST(ReadingPastTheEnd, OfEveryForm) {
  ImplicitProblem i = implicit_decay();
  i.residual = [](double, In y, In yp, Out r) { r << yp.data()[2] + y[0], y[1] - y[0]; };
  refused(i, {"residual", "reads", "2"});
  SemiExplicitProblem s = decay();
  s.g = [](double, In y, In z, Out g) { g[0] = z.data()[1] - y[0]; };
  refused(s, {"'decay'", "g", "reads", "1"});
  MultibodyProblem m = pendulum();
  m.force = [](double, In, In v, Out f) { f << 0.0, -9.81 - v.data()[2]; };
  refused(m, {"force", "reads", "2"});
  m = pendulum();
  m.constraint = [](double, In q, Out g) {
    g[0] = 0.5 * (q[0] * q[0] + q.data()[2] * q.data()[2] - 1.0);
  };
  refused(m, {"constraint", "reads", "2"});
}

// A NaN of the callable's own is no read past the end.
TEST(ReadingPastTheEnd, IsNotSaidOfOtherValuesThatAreNotFinite) {
  const auto undefined = [](const auto&, const auto& y, auto& f) {
    using std::sqrt;
    f[0] = sqrt(-y[0]);
    f[1] = -y[1];
  };
  for (const bool differentiable : {false, true}) {
    const Solution s = solve(reading(undefined, differentiable), {0.0, 1.0}, {});
    EXPECT_EQ(s.status(), Status::not_finite) << s.message();
  }
}

}  // namespace
}  // namespace daedalus
