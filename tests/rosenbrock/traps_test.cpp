// Situations in which a linearly implicit method can go wrong, two of each kind: the result is
// right, or the status says clearly what happened.
#include <algorithm>

#include "problems/catalogue.hpp"
#include "rosenbrock/support.hpp"

namespace daedalus::rosenbrock_test {
namespace {

std::vector<const Method*> reliable() {
  std::vector<const Method*> list;
  for (const Method* m : family()) {
    // Known weaknesses. dae4s and ros34pw2: R(infinity) differs between solution and embedded
    // solution, so that the estimate contains 0.07 and 0.48 of the error that z already has,
    // whatever h; once a long step has left one, no step is short enough. rodas5: solution and
    // embedded solution agree on quadratures y' = z(t), whose error it does not see.
    const bool weak = m->name == "dae4s" || m->name == "ros34pw2" || m->name == "rodas5";
    if (!m->fixed_step_only && !weak) list.push_back(m);
  }
  return list;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// y' = z - y, z = exp(sin 8t) through a nonlinear equation: an engine without g_t converges with
// order 1 at best and misses this by far.
SemiExplicitProblem driven() {
  SemiExplicitProblem p;
  p.name = "driven";
  p.f = autodiff([](const auto& t, const auto& y, const auto& z, auto& f) {
    using std::cos;
    f[0] = 8.0 * cos(8.0 * t) * z[0] + z[0] - y[0];
  });
  p.g = autodiff([](const auto& t, const auto&, const auto& z, auto& g) {
    using std::log, std::sin;
    g[0] = log(z[0]) - sin(8.0 * t);
  });
  p.y0 = vec({1.0});
  p.z0 = vec({1.0});
  return p;
}

TEST(Traps, TimeInTheAlgebraicEquations) {
  for (const Method* m : reliable()) {
    const Solution a = solve(driven(), {0.0, 1.0}, with_tolerance(m->name, 1e-6)),
                   b = solve(time_dependent(), {0.0, 3.0}, with_tolerance(m->name, 1e-6));
    ASSERT_TRUE(a.ok() && b.ok()) << m->name << a.message() << b.message();
    const double exact = std::exp(std::sin(8.0));
    EXPECT_NEAR(a.end().y()[0], exact, 2e-3) << m->name;
    EXPECT_NEAR(a.end().y()[1], exact, 2e-3) << m->name;
    EXPECT_LT((b.end().y() - exact_time_dependent(3.0)).cwiseAbs().maxCoeff(), 1e-4) << m->name;
  }
}

// The forcing of an oscillation jumps at t = 1: in f it costs rejections but the result is right.
TEST(Traps, JumpOfTheRightHandSide) {
  SemiExplicitProblem p;
  p.name = "jump in f";
  p.f = autodiff([](const auto& t, const auto& y, const auto& z, auto& f) {
    using std::cos;
    f[0] = cos(10.0 * t) + (value_of(t) < 1.0 ? 1.0 : -2.0) + 0.0 * y[0] + 0.0 * z[0];
  });
  p.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
    g[0] = z[0] + z[0] * z[0] * z[0] - 2.0 * y[0];
  });
  p.y0 = vec({0.0});
  p.z0 = vec({0.0});
  for (const Method* m : reliable()) {
    const Solution s = solve(p, {0.0, 1.5}, with_tolerance(m->name, 1e-6));
    ASSERT_TRUE(s.ok()) << m->name << ": " << s.message();
    const double y = 0.1 * std::sin(15.0), z = s.end().z()[0];
    // Two stages in the estimate see less of a jump than six: some methods of the report step over
    // it.
    const bool coarse = m->name == "dae4sf-1988" || m->name == "dae3ns" || m->name == "dae33ns";
    EXPECT_NEAR(s.end().y()[0], y, coarse ? 1e-2 : 5e-4) << m->name;
    EXPECT_NEAR(z + z * z * z, 2.0 * y, coarse ? 2e-2 : 2e-3) << m->name;
  }
}

// In g it makes z jump, which no step resolves. Announced by an event that switches a mode, every
// method passes.
TEST(Traps, JumpOfAnAlgebraicVariable) {
  SemiExplicitProblem p;
  p.name = "jump in g";
  p.f = autodiff([](const auto&, const auto&, const auto& z, auto& f) { f[0] = z[0]; });
  p.g = autodiff([](const auto& x, auto& g) {
    using std::cos;
    g[0] = x.z[0] - x.modes[0] * (1.0 + 0.5 * cos(10.0 * x.t));
  });
  p.y0 = vec({0.0});
  p.z0 = vec({1.5});
  p.modes = {1.0};
  Event jump;
  jump.name = "jump";
  jump.when = [](const StateView& s) { return s.t() - 1.0; };
  jump.action = EventAction::handle;
  jump.handler = [](EventContext& c) {
    c.modes[0] = -1.0;
    c.of(VariableClass::z)[0] *= -1.0;
  };
  for (const Method* m : reliable()) {
    Options o = with_tolerance(m->name, 1e-6);
    o.events = {jump};
    const Solution s = solve(p, {0.0, 1.5}, o);
    ASSERT_TRUE(s.ok()) << m->name << ": " << s.message();
    const double y = 0.5 + 0.05 * (2.0 * std::sin(10.0) - std::sin(15.0));
    EXPECT_NEAR(s.end().y()[0], y, 1e-4) << m->name;
    EXPECT_NEAR(s.end().z()[0], -1.0 - 0.5 * std::cos(15.0), 1e-4) << m->name;
  }
}

// g_z = 2 z tends to zero: at pi/2 on the circle, and with z = sqrt(1 - t) at t = 1, where the
// solution ends. The run stops there with a clear status; up to there it is right.
TEST(Traps, SingularConstraintMatrixApproached) {
  SemiExplicitProblem root;
  root.name = "root";
  root.f = autodiff([](const auto&, const auto&, const auto&, auto& f) { f[0] = 1.0; });
  root.g = autodiff(
      [](const auto&, const auto& y, const auto& z, auto& g) { g[0] = z[0] * z[0] + y[0] - 1.0; });
  root.y0 = vec({0.0});
  root.z0 = vec({1.0});
  int stopped = 0;
  for (const Method* m : reliable()) {
    Options o = with_tolerance(m->name, 1e-6);
    const Solution before = solve(circle(), {0.0, 1.5}, o);
    ASSERT_TRUE(before.ok()) << m->name << ": " << before.message();
    EXPECT_NEAR(before.end().z()[0], std::cos(1.5), 1e-3) << m->name;
    o.max_steps = 20000;
    for (const auto& [p, end] : {std::pair<Problem, double>{circle(), 1.5708}, {root, 1.0}}) {
      const Solution s = solve(p, {0.0, 2.0}, o);
      if (s.ok()) {
        // Passing the singular point of the circle is possible, on either solution that starts
        // there: y = sin t, and y = 1, z = 0.
        const double y = s.end().y()[0];
        EXPECT_LT(std::min(std::abs(y - std::sin(2.0)), std::abs(y - 1.0)), 0.05) << m->name;
        continue;
      }
      ++stopped;
      EXPECT_TRUE(s.status() == Status::step_too_small || s.status() == Status::singular_matrix ||
                  s.status() == Status::not_finite || s.status() == Status::too_many_steps)
          << m->name << ": " << s.message();
      EXPECT_NEAR(s.end_time(), end, 0.02) << m->name << ": " << s.message();
      EXPECT_FALSE(s.message().empty());
    }
  }
  EXPECT_GT(stopped, 0);
}

// y' = cos 10t: the embedded solutions of rodas5 and dae3ns have the quadrature weights of the
// solution.
TEST(Traps, QuadraturesEscapeTwoEstimates) {
  SemiExplicitProblem p;
  p.name = "quadrature";
  p.f = autodiff([](const auto& t, const auto& y, const auto&, auto& f) {
    using std::cos;
    f[0] = cos(10.0 * t) + 0.0 * y[0];
  });
  p.y0 = vec({0.0});
  for (const Method* m : family()) {
    if (m->fixed_step_only) continue;
    const Solution s = solve(p, {0.0, 2.0}, with_tolerance(m->name, 1e-6));
    const double error = std::abs(s.end().y()[0] - 0.1 * std::sin(20.0));
    if (m->name == "rodas5" || m->name == "dae3ns")
      EXPECT_GT(error, 1e-2);
    else
      EXPECT_LT(error, 1e-4) << m->name;
  }
}

TEST(Traps, InconsistentStart) {
  SemiExplicitProblem p = circle();
  p.z0 = vec({0.9});
  auto amplifier =
      std::get<MassMatrixProblem>(problems::find_problem("transistor-amplifier")->problem());
  amplifier.y0[3] += 0.5;  // node 4: the sum of two node equations is violated
  for (const Method* m : reliable()) {
    Options o = with_tolerance(m->name, 1e-6);
    for (const Problem& problem : {Problem(p), Problem(amplifier)}) {
      const Solution s = solve(problem, {0.0, 1e-3}, o);
      EXPECT_EQ(s.status(), Status::inconsistent_start) << m->name << name_of(problem);
      EXPECT_TRUE(contains(s.message(), "solve")) << s.message();
    }
    o.start = StartStrategy::solve;
    const Solution solved = solve(p, {0.0, 1.0}, o);
    ASSERT_TRUE(solved.ok()) << m->name << ": " << solved.message();
    EXPECT_NEAR(solved.start().z()[0], 1.0, 1e-9) << m->name;
    EXPECT_NEAR(solved.end().y()[0], std::sin(1.0), 1e-4) << m->name;
    const Solution circuit = solve(amplifier, {0.0, 1e-3}, o);
    ASSERT_TRUE(circuit.ok()) << m->name << ": " << circuit.message();
    EXPECT_TRUE(std::any_of(circuit.warnings().begin(), circuit.warnings().end(),
                            [](const std::string& w) { return contains(w, "start values"); }));
  }
}

}  // namespace
}  // namespace daedalus::rosenbrock_test
