// SPDX-License-Identifier: BSD-3-Clause
// Situations in which a linearly implicit method can go wrong, two of each kind: the result is
// right, or the status says clearly what happened.
#include <algorithm>

#include "catalogue/catalogue.hpp"
#include "rosenbrock/support.hpp"

namespace daedalus::rosenbrock_test {
namespace {

std::vector<const Method*> reliable() {
  std::vector<const Method*> list;
  for (const Method* m : family()) {
    // Known weakness of rodas5: solution and embedded solution agree on quadratures y' = z(t),
    // whose error it does not see.
    if (!m->fixed_step_only && m->name != "rodas5") list.push_back(m);
  }
  return list;
}
// The stages of these methods end before the step does, or count equally in the
// embedded solution: a jump in the last part of a step escapes them, which costs a part of a step.
bool coarse(const Method& m) {
  return m.name == "dae4s" || m.name == "dae4sf" || m.name == "dae4sf-1988" || m.name == "dae3ns" ||
         m.name == "dae33ns";
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

// y' = z + ..., 0 = z + z^3 - (c + c^3) with c = cos 2t: z = cos 2t, y = sin(2t) / 2. With
// value_of(t) in g the derivatives do not see the time: g_t is lost.
SemiExplicitProblem cubic(bool hidden) {
  SemiExplicitProblem p;
  p.name = "cubic";
  p.f = autodiff([](const auto& t, const auto& y, const auto& z, auto& f) {
    using std::sin;
    f[0] = z[0] + 0.3 * (y[0] - 0.5 * sin(2.0 * t));
  });
  const auto g = [](const auto& t, const auto& z) {
    using std::cos;
    const auto c = cos(2.0 * t);
    return z + z * z * z - c - c * c * c;
  };
  if (hidden)
    p.g = autodiff(
        [g](const auto& t, const auto&, const auto& z, auto& r) { r[0] = g(value_of(t), z[0]); });
  else
    p.g = autodiff([g](const auto& t, const auto&, const auto& z, auto& r) { r[0] = g(t, z[0]); });
  p.y0 = vec({0.0});
  p.z0 = vec({1.0});
  return p;
}
SemiExplicitProblem time_hidden() {
  SemiExplicitProblem p = time_dependent();
  p.g = autodiff([](const auto& t, const auto& y, const auto& z, auto& g) {
    g[0] = z[0] - std::cos(value_of(t));
    g[1] = (2.0 + std::sin(3.0 * value_of(t))) * z[1] - y[0];
  });
  return p;
}

// Only with g_t hidden the order is lost, so that the right runs owe it to g_t.
TEST(Traps, TimeInTheAlgebraicEquationsKeepsTheOrder) {
  const std::tuple<Problem, Problem, Eigen::VectorXd> instances[] = {
      {cubic(false), cubic(true), vec({0.5 * std::sin(2.0), std::cos(2.0)})},
      {time_dependent(), time_hidden(), exact_time_dependent(1.0)}};
  for (const auto& [right, wrong, exact] : instances) {
    const auto error = [end = exact](const Problem& p, const std::string& method, double h) {
      const Solution s =
          solve(p, {0.0, 1.0}, {.method = method, .output = Output::end, .fixed_step = h});
      EXPECT_TRUE(s.ok()) << method << ": " << s.message();
      return (s.end().y() - end).cwiseAbs().maxCoeff();
    };
    for (const char* method : {"rodas4", "rodas4p", "dae4sf", "dae3s", "dae34ns", "dae33ns"}) {
      const double order = std::min(find_method(method)->orders[VariableClass::y],
                                    find_method(method)->orders[VariableClass::z]);
      const double fine = error(right, method, 1.0 / 128);
      const std::string what = std::string(method) + " on " + name_of(right);
      EXPECT_GT(std::log2(error(right, method, 1.0 / 64) / fine), order - 0.35) << what;
      EXPECT_LT(std::log2(error(wrong, method, 1.0 / 64) / error(wrong, method, 1.0 / 128)), 2.2)
          << what;
      EXPECT_GT(error(wrong, method, 1.0 / 128), 30.0 * fine) << what;
    }
  }
}

// The forcing of an oscillation jumps at t = 1, hidden from the solver or announced by an event
// that switches a mode.
SemiExplicitProblem jump_in_f(bool hidden) {
  SemiExplicitProblem p;
  p.name = "jump in f";
  p.f = autodiff([hidden](const auto& x, auto& f) {
    using std::cos;
    const auto before = hidden ? (value_of(x.t) < 1.0) : (x.modes[0] > 0.0);
    f[0] = cos(10.0 * x.t) + (before ? 1.0 : -2.0) + 0.0 * x.y[0];
  });
  p.g = autodiff([](const auto&, const auto& y, const auto& z, auto& g) {
    g[0] = z[0] + z[0] * z[0] * z[0] - 2.0 * y[0];
  });
  p.y0 = vec({0.0});
  p.z0 = vec({0.0});
  p.modes = {1.0};
  return p;
}
// In g it makes z jump, which no step resolves.
SemiExplicitProblem jump_in_g(bool hidden) {
  SemiExplicitProblem p;
  p.name = "jump in g";
  p.f = autodiff([](const auto&, const auto&, const auto& z, auto& f) { f[0] = z[0]; });
  p.g = autodiff([hidden](const auto& x, auto& g) {
    using std::cos;
    const auto before = hidden ? (value_of(x.t) < 1.0) : (x.modes[0] > 0.0);
    g[0] = x.z[0] - (before ? 1.0 : -1.0) * (1.0 + 0.5 * cos(10.0 * x.t));
  });
  p.y0 = vec({0.0});
  p.z0 = vec({1.5});
  p.modes = {1.0};
  return p;
}
Event at_one() {
  Event jump;
  jump.name = "jump";
  jump.when = [](const StateView& s) { return s.t() - 1.0; };
  jump.action = EventAction::handle;
  jump.handler = [](EventContext& c) { c.modes[0] = -1.0; };
  return jump;
}
double end_of_jump_in_f() { return 0.1 * std::sin(15.0); }
double end_of_jump_in_g() { return 0.5 + 0.05 * (2.0 * std::sin(10.0) - std::sin(15.0)); }

TEST(Traps, HiddenJumpsEndRightOrNameTheirTime) {
  int passed = 0;
  for (const Method* m : reliable()) {
    const Solution f = solve(jump_in_f(true), {0.0, 1.5}, with_tolerance(m->name, 1e-6));
    ASSERT_TRUE(f.ok()) << m->name << ": " << f.message();
    const double z = f.end().z()[0];
    EXPECT_NEAR(f.end().y()[0], end_of_jump_in_f(), coarse(*m) ? 1e-2 : 5e-4) << m->name;
    EXPECT_NEAR(z + z * z * z, 2.0 * f.end().y()[0], 1e-4) << m->name;
    const Solution g = solve(jump_in_g(true), {0.0, 1.5}, with_tolerance(m->name, 1e-6));
    if (g.ok()) {
      ++passed;
      EXPECT_NEAR(g.end().y()[0], end_of_jump_in_g(), coarse(*m) ? 1e-2 : 5e-4) << m->name;
      EXPECT_NEAR(g.end().z()[0], -1.0 - 0.5 * std::cos(15.0), 1e-4) << m->name;
    } else {
      EXPECT_EQ(g.status(), Status::step_too_small) << m->name << ": " << g.message();
      EXPECT_NEAR(g.end_time(), 1.0, 1e-3) << m->name;
      EXPECT_TRUE(contains(g.message(), "t = 1")) << g.message();
      EXPECT_TRUE(contains(g.message(), "'z1'")) << g.message();
      EXPECT_TRUE(contains(g.message(), "event")) << g.message();
    }
  }
  // Solving for z again behind the jump brings nearly all of them through.
  EXPECT_GE(passed, 15);
}

TEST(Traps, AnnouncedJumpsAreExact) {
  for (const Method* m : reliable()) {
    Options o = with_tolerance(m->name, 1e-6);
    o.events = {at_one()};
    o.start = StartStrategy::solve;  // z follows the new mode
    const Solution f = solve(jump_in_f(false), {0.0, 1.5}, o);
    const Solution g = solve(jump_in_g(false), {0.0, 1.5}, o);
    ASSERT_TRUE(f.ok() && g.ok()) << m->name << ": " << f.message() << g.message();
    EXPECT_NEAR(f.end().y()[0], end_of_jump_in_f(), 1e-4) << m->name;
    EXPECT_NEAR(g.end().y()[0], end_of_jump_in_g(), 1e-4) << m->name;
    EXPECT_NEAR(g.end().z()[0], -1.0 - 0.5 * std::cos(15.0), 1e-4) << m->name;
  }
}

// g_z = 2 z tends to zero: at pi/2 on the circle, and with z = sqrt(1 - t) at t = 1, where the
// solution ends. The run stops there with a status that names time and equation; up to there it is
// right, and kept.
TEST(Traps, SingularConstraintMatrixApproached) {
  SemiExplicitProblem root;
  root.name = "root";
  root.f = autodiff([](const auto&, const auto&, const auto&, auto& f) { f[0] = 1.0; });
  root.g = autodiff(
      [](const auto&, const auto& y, const auto& z, auto& g) { g[0] = z[0] * z[0] + y[0] - 1.0; });
  root.y0 = vec({0.0});
  root.z0 = vec({1.0});
  root.equations = {"clock", "parabola"};
  SemiExplicitProblem round = circle();
  round.equations = {"motion", "parabola"};
  int stopped = 0;
  for (const Method* m : reliable()) {
    Options o = with_tolerance(m->name, 1e-6);
    const Solution before = solve(circle(), {0.0, 1.5}, o);
    ASSERT_TRUE(before.ok()) << m->name << ": " << before.message();
    EXPECT_NEAR(before.end().z()[0], std::cos(1.5), 1e-3) << m->name;
    o.max_steps = 20000;
    o.output = Output::steps;
    for (const auto& [p, end] : {std::pair<Problem, double>{round, 1.5708}, {root, 1.0}}) {
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
                  s.status() == Status::not_finite)
          << m->name << ": " << s.message();
      EXPECT_NEAR(s.end_time(), end, 0.02) << m->name << ": " << s.message();
      EXPECT_TRUE(contains(s.message(), "at t = ")) << s.message();
      EXPECT_TRUE(contains(s.message(), "'parabola' hardly determines 'z1'")) << s.message();
      const Statistics& counted = s.statistics();
      ASSERT_EQ(static_cast<long>(s.times().size()), counted.accepted + counted.restarts + 1)
          << m->name;
      EXPECT_EQ(s.times().back(), s.end_time());
      // Half way everything is right.
      const ModelState half = s.state(s.times().size() / 2);
      const double t = half.t(), y = end == 1.0 ? t : std::sin(t);
      EXPECT_NEAR(half.y()[0], y, 1e-3) << m->name;
    }
  }
  // All of them where the solution ends, some of them on the circle.
  EXPECT_GT(stopped, static_cast<int>(reliable().size()));
  // Away from such a point nothing is said about equations.
  const Solution jump = solve(jump_in_f(true), {0.0, 1.5},
                              {.method = "rodas4", .output = Output::end, .min_step = 1e-5});
  EXPECT_EQ(jump.status(), Status::step_too_small) << jump.message();
  EXPECT_FALSE(contains(jump.message(), "hardly")) << jump.message();
}

// The estimates of dae4s and ros34pw2, as published, contain 0.07 and 0.48 of the error that z
// already has, whatever h: once a long step has left one, no step is short enough. Solving for z
// again helps. Other methods never need it on smooth problems.
TEST(Traps, ErrorsLeftInAlgebraicVariablesAreRepaired) {
  const auto repaired = [](const Solution& s) {
    return std::any_of(s.warnings().begin(), s.warnings().end(),
                       [](const std::string& w) { return contains(w, "solved for again"); });
  };
  const auto published = [](const std::string& method) {
    Options o = with_tolerance(method, 1e-6);
    for (const MethodOption& option : find_method(method)->options)
      if (option.key == "subtract_inherited" || option.key == "verify_matrix")
        o.method_options[option.key] = 0.0;
    return o;
  };
  const Solution w = solve(jump_in_f(true), {0.0, 1.5}, published("ros34pw2"));
  const Solution r = solve(circle(), {0.0, 1.0}, published("dae4s"));
  for (const Solution& s : {w, r}) {
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_TRUE(repaired(s)) << s.choice().method;
    EXPECT_GT(s.statistics().restarts, 0) << s.choice().method;
  }
  EXPECT_NEAR(w.end().y()[0], end_of_jump_in_f(), 1e-4);
  EXPECT_NEAR(r.end().y()[0], std::sin(1.0), 1e-5);
  EXPECT_NEAR(r.end().z()[0], std::cos(1.0), 1e-5);
  for (const Method* m : reliable())
    if (m->name != "dae4s" && m->name != "ros34pw2") {
      EXPECT_FALSE(repaired(solve(circle(), {0.0, 1.0}, with_tolerance(m->name, 1e-6)))) << m->name;
    }
}

// y' = cos 10t: the embedded solutions of rodas5 and dae3ns have the quadrature weights of the
// solution; their steps are tested inside.
TEST(Traps, QuadraturesEscapeNoMethod) {
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
    EXPECT_LT(error, 1e-4) << m->name;
  }
}

TEST(Traps, InconsistentStart) {
  SemiExplicitProblem p = circle();
  p.z0 = vec({0.9});
  p.equations = {"motion", "length"};
  auto amplifier =
      std::get<MassMatrixProblem>(problems::find_problem("transistor-amplifier")->problem());
  amplifier.y0[3] += 0.5;  // node 4: the sum of two node equations is violated
  for (const Method* m : reliable()) {
    Options o = with_tolerance(m->name, 1e-6);
    for (const Problem& problem : {Problem(p), Problem(amplifier)}) {
      const Solution s = solve(problem, {0.0, 1e-3}, o);
      EXPECT_EQ(s.status(), Status::inconsistent_start) << m->name << name_of(problem);
      EXPECT_TRUE(contains(s.message(), "solve")) << s.message();
      const bool separated = s.choice().formulation == "separated";
      EXPECT_TRUE(contains(s.message(), "'length' has residual -0.19") ||
                  contains(s.message(), "'current into node 4 + current into node 5'") || separated)
          << m->name << s.message();
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

// Jacobians that are off by a tenth, on a driven pendulum and a predator with its prey.
SemiExplicitProblem wrong_by(double factor, int which) {
  SemiExplicitProblem p;
  p.name = "wrong Jacobian";
  if (which == 0) {
    p.f = autodiff([](const auto& t, const auto& y, const auto&, auto& f) {
      using std::cos, std::sin;
      f[0] = y[1];
      f[1] = -sin(y[0]) + 0.1 * cos(t);
    });
    p.f_y = [factor](double, In y, In, MatrixOut J) {
      J << 0.0, factor, -factor * std::cos(y[0]), 0.0;
    };
    p.y0 = vec({1.0, 0.5});
  } else {
    p.f = autodiff([](const auto&, const auto& y, const auto&, auto& f) {
      f[0] = 1.5 * y[0] - y[0] * y[1];
      f[1] = y[0] * y[1] - 2.0 * y[1];
    });
    p.f_y = [factor](double, In y, In, MatrixOut J) {
      J << 1.5 - y[1], -y[0], y[1], y[0] - 2.0;
      J *= factor;
    };
    p.y0 = vec({1.0, 1.2});
  }
  return p;
}

TEST(Traps, WrongJacobianKeepsTheOrderOfWMethodsOnly) {
  for (const int which : {0, 1}) {
    const auto end = [&](const std::string& method, double factor, double h) {
      const Solution s = solve(wrong_by(factor, which), {0.0, 2.0},
                               {.method = method, .output = Output::end, .fixed_step = h});
      EXPECT_TRUE(s.ok()) << s.message();
      return Eigen::VectorXd(s.end().y());
    };
    const Eigen::VectorXd exact = end("rodas5p", 1.0, 1.0 / 1024);
    const auto order = [&](const std::string& method, double factor) {
      return std::log2((end(method, factor, 1.0 / 64) - exact).norm() /
                       (end(method, factor, 1.0 / 128) - exact).norm());
    };
    for (const double factor : {1.1, 0.9}) {
      EXPECT_NEAR(order("ros34pw2", factor), 3.0, 0.25) << which << factor;
      EXPECT_NEAR(order("rodas4pw", factor), 4.0, 0.35) << which << factor;
      EXPECT_LT(order("rodas4", factor), 2.0) << which << factor;
    }
    EXPECT_GT(order("rodas4", 1.0), 3.5) << which;
  }
}

// z oscillates with 60 / (2 pi) periods per unit of time, y moves on a scale of ten: z alone, and
// beside a slow algebraic variable that depends on it.
SemiExplicitProblem fast_beside_slow(bool two) {
  SemiExplicitProblem p;
  p.name = "fast beside slow";
  p.f = autodiff(
      [](const auto&, const auto& y, const auto& z, auto& f) { f[0] = -0.1 * y[0] + 0.01 * z[0]; });
  p.g = autodiff([two](const auto& t, const auto& y, const auto& z, auto& g) {
    using std::sin;
    g[0] = z[0] * (1.0 + 0.1 * z[0] * z[0]) + 0.1 * y[0] - sin(60.0 * t);
    if (two) g[1] = z[1] - y[0] * y[0] - 0.01 * z[0] * z[0];
  });
  p.y0 = vec({0.0});
  p.z0 = two ? vec({0.0, 0.0}) : vec({0.0});
  return p;
}

TEST(Traps, FastAlgebraicVariablesAreNotMissed) {
  const auto defect = [](const Solution& s) {
    double worst = 0.0;
    for (std::size_t i = 0; i < s.times().size(); ++i) {
      const double y = s.state(i).y()[0], z = s.state(i).z()[0];
      worst = std::max(worst,
                       std::abs(z * (1.0 + 0.1 * z * z) + 0.1 * y - std::sin(60.0 * s.times()[i])));
    }
    return worst;
  };
  for (const Method* m : family()) {
    if (m->fixed_step_only) continue;
    for (const bool two : {false, true}) {
      Options o = with_tolerance(m->name, 1e-5);
      o.output = Output::steps;
      const Solution s = solve(fast_beside_slow(two), {0.0, 1.0}, o);
      ASSERT_TRUE(s.ok()) << m->name << ": " << s.message();
      EXPECT_LT(defect(s), 1e-3) << m->name << two;
      o.untested = {"z1"};
      if (two) o.untested.push_back("z2");
      const Solution missed = solve(fast_beside_slow(two), {0.0, 1.0}, o);
      EXPECT_GT(defect(missed), 10.0 * defect(s)) << m->name << two;
    }
  }
}

}  // namespace
}  // namespace daedalus::rosenbrock_test
