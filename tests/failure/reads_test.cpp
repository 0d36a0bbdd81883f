// SPDX-License-Identifier: BSD-3-Clause
// Callables that read past the end of what they are given are refused before the first step, by
// name and size, as those that write past it are.
#include <functional>

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

// y' = -y with an event at t = 0.5 and, if given, a handler.
Solution with_event(std::function<double(const StateView&)> when,
                    std::function<void(EventContext&)> handler = {}) {
  MassMatrixProblem p;
  p.name = "decay";
  p.rhs = [](double, In y, Out f) { f = -y; };
  p.y0 = vec({1.0, 2.0});
  p.parameters = {{"k", 1.0}};
  p.modes = {0.0};
  Event e;
  e.name = "half";
  e.when = std::move(when);
  if (handler) e.action = EventAction::handle;
  e.handler = std::move(handler);
  Options o;
  o.events = {e};
  return solve(p, {0.0, 1.0}, o);
}

TEST(ReadingPastTheEnd, OfEventFunctions) {
  const auto refused_event = [](std::function<double(const StateView&)> when, const char* what) {
    try {
      with_event(std::move(when));
      ADD_FAILURE() << what;
    } catch (const InvalidArgument& e) {
      EXPECT_THAT(e.what(), HasSubstr("event 'half'"));
      EXPECT_THAT(e.what(), HasSubstr(std::string("outside of the ") + what));
    }
  };
  refused_event([](const StateView& s) { return s.y().data()[2]; }, "state");
  refused_event([](const StateView& s) { return s.t() - 0.5 * s.p().data()[1]; }, "parameters");
  refused_event([](const StateView& s) { return s.t() - 0.5 + s.modes().data()[1]; }, "modes");
  EXPECT_TRUE(with_event([](const StateView& s) {
                return s.t() - 0.5 * s.p()[0] + s.modes()[0] + 0.0 * s.y()[1];
              }).ok());
}

// An event of a class of variables that the problem does not have read the first variable.
TEST(ReadingPastTheEnd, OfAClassThatIsNotThere) {
  try {
    with_event([](const StateView& s) { return s.z().data()[0] - 0.5; });
    ADD_FAILURE();
  } catch (const InvalidArgument& e) {
    EXPECT_THAT(e.what(), HasSubstr("event 'half', when: reads outside of the state"));
  }
}

TEST(ReadingPastTheEnd, OfInvariants) {
  MassMatrixProblem p;
  p.name = "turning";
  p.rhs = [](double, In y, Out f) {
    f[0] = y[1];
    f[1] = -y[0];
  };
  p.y0 = vec({0.0, 1.0});
  p.index = 0;
  Options o;
  o.project_invariants = {"energy"};
  p.invariants = {{"energy", [](double, In y, Out r) { r[0] = y[0] * y[0] + y.data()[2]; }}};
  try {
    solve(p, {0.0, 1.0}, o);
    ADD_FAILURE();
  } catch (const InvalidArgument& e) {
    EXPECT_THAT(e.what(), HasSubstr("'turning', invariant 'energy': reads outside"));
  }
  p.invariants = {{"energy", [](double, In y, Out r) { r[0] = y.squaredNorm(); }}};
  EXPECT_TRUE(solve(p, {0.0, 1.0}, o).ok());
}

TEST(ReadingPastTheEnd, OfHandlersAndWriting) {
  const auto at_half = [](const StateView& s) { return s.t() - 0.5; };
  const auto ends_with = [&](std::function<void(EventContext&)> handler, const char* how,
                             const char* what) {
    const Solution s = with_event(at_half, std::move(handler));
    EXPECT_EQ(s.status(), Status::callback_failed) << what;
    EXPECT_THAT(s.message(), HasSubstr("handler of event 'half' " + std::string(how)));
    EXPECT_THAT(s.message(), HasSubstr(what));
    EXPECT_NEAR(s.end_time(), 0.5, 1e-9);
  };
  ends_with([](EventContext& c) { c.y.data()[2] = 7.0; }, "writes", "the variables");
  ends_with([](EventContext& c) { c.y.data()[-1] = 7.0; }, "writes", "the variables");
  ends_with([](EventContext& c) { c.modes.data()[1] = 7.0; }, "writes", "the modes");
  ends_with([](EventContext& c) { c.y[0] = c.y.data()[3]; }, "reads", "the variables");
  ends_with([](EventContext& c) { c.y[0] = 2.0 * c.p.data()[1]; }, "reads", "the parameters");
  ends_with([](EventContext& c) { c.modes[0] = c.modes.data()[1]; }, "reads", "the modes");
  const Solution good = with_event(at_half, [](EventContext& c) {
    c.y[0] = c.p[0];
    c.modes[0] = 1.0;
  });
  EXPECT_TRUE(good.ok()) << good.message();
  EXPECT_NEAR(good.end().y()[0], std::exp(-0.5), 1e-4);
}

}  // namespace
}  // namespace daedalus
