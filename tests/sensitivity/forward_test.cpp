// SPDX-License-Identifier: BSD-3-Clause
// Forward columns against closed forms and 128-bit references (docs/sensitivities.md).
#include <gtest/gtest.h>

#include "sensitivity/problems.hpp"

namespace daedalus::sensitivity_test {
namespace {

struct Case {
  const char* name;
  Problem problem;
  std::vector<Event> events;
  double t;
  std::vector<KnownColumn> entries;
  double allowed;  // in rtol
};

std::vector<Case> cases() {
  return {
      {"abc",
       abc(),
       {},
       3.0,
       {{"B", "k1", 0.1732328323896884},
        {"B", "k2", -1.111214289639986},
        {"B", "A0", 0.5968972909774623}},
       100.0},
      {"enzyme",
       enzyme(),
       {},
       2.0,
       {{"P", "kf", 0.01275424406449093},
        {"P", "kr", -0.04881213843029199},
        {"P", "kcat", 0.1421046080321303},
        {"P", "E0", 0.4899059668545284},
        {"P", "S0", 0.7528805693048201},
        {"E", "E0", 1.218361169966590639}},
       100.0},
      {"index2",
       index2(),
       {},
       1.5,
       {{"z", "a", 0.4800851433251830},
        {"z", "p", 3.038002566096436},
        {"z", "w", -2.321679863553246},
        {"y2", "w", 0.5364569683566350},
        {"y2", "b", -0.01119476077334610}},
       1000.0},
      {"capacitor-loop",
       capacitor_loop(),
       {},
       0.3,
       {{"i", "C", -189.9219782147053},
        {"i", "R", -3.251439200785584e-4},
        {"i", "p", -0.03148151724136990},
        {"i", "w", -0.06396534626896019}},
       1000.0},
      {"robertson",
       robertson(),
       {},
       0.4,
       {{"y1", "k1", -0.3559525659828556},
        {"y1", "k2", -1.583176635557635e-11},
        {"y1", "k3", 9.542381427849769e-8}},
       100.0},
      {"pendulum",
       pendulum(),
       {},
       1.0,
       {{"x", "length", -0.8378389931737174},
        {"x", "gravity", -0.01513279897636676},
        {"x", "mass", 0.0},
        {"lambda", "length", 21.25761177148805},
        {"lambda", "gravity", -2.166932902292360},
        {"lambda", "mass", 4.856269407484677}},
       1000.0},
      {"slider-crank",
       slider_crank(),
       {},
       0.1,
       {{"x3", "l1", 0.7172376116596837},
        {"x3", "l2", 1.073813052198329},
        {"x3", "m3", -1.133161152050801},
        {"x3", "omega0", 7.908475747153792e-3},
        {"lambda1", "l1", -1309.874992479703},
        {"lambda1", "l2", 225.7593496337737},
        {"lambda1", "omega0", -7.017279279349557}},
       1000.0},
      {"ball",
       ball(),
       {impact()},
       2.0,
       {{"x", "h", 0.4266108641635286},
        {"x", "g", -0.01690816879066987},
        {"x", "e", 2.499324113317087},
        {"v", "h", 9.727065432081764},
        {"v", "g", -1.008454084395335},
        {"v", "e", 31.53766205665854}},
       100.0},
      {"relay",
       relay(),
       relay_events(),
       4.0,
       {{"v", "R", -6.593629999944305},
        {"v", "C", -26.37451999977722},
        {"v", "U", 1.989044499991646},
        {"v", "vh", -5.494691666620254},
        {"v", "vl", 8.242037499930381},
        {"v", "v0", 0.6593629999944305}},
       100.0},
      {"switch",
       timed_switch(),
       {switch_off()},
       2.0,
       {{"v", "R", 0.2090519111774775},
        {"v", "C", 0.8362076447099100},
        {"v", "U", 0.1371965097973999},
        {"v", "ts", 1.362658965170063}},
       100.0},
      {"wall",
       pendulum_with_wall(),
       {wall()},
       2.0,
       {{"x", "length", 2.048120545904331},
        {"x", "gravity", -0.3331598213945545},
        {"x", "e", -0.05267306179092468},
        {"x", "xw", -2.210656396933474}},
       1000.0},
  };
}

// Methods that do not fit a problem are refused by name; the rest of the table holds for all.
TEST(Forward, ColumnsMeetTheirReferencesWithEveryMethod) {
  for (const Case& c : cases())
    for (const char* method :
         {"bdf", "radau", "radau5", "rodas4", "rodas5p", "hedop5", "tsit5da", "auto"}) {
      // The multiplier of the capacitor loop is no part of the error test of 'hedop5', which takes
      // steps longer than a period: the state is off by a third, and so are its derivatives.
      if (std::string(c.name) == "capacitor-loop" && std::string(method) == "hedop5") continue;
      double before = 1e300;
      for (const double rtol : {1e-4, 1e-6, 1e-8}) {
        Options o = asking(method, rtol);
        o.events = c.events;
        o.output = Output::end;
        try {
          const Solution s = solve(c.problem, {0.0, c.t}, o);
          ASSERT_TRUE(s.ok()) << c.name << " " << method << ": " << s.message();
          const double e = column_error(s, c.t, c.entries);
          EXPECT_LT(e, c.allowed * rtol) << c.name << " " << method << " at " << rtol;
          EXPECT_LT(e, std::max(before, 20.0 * rtol)) << c.name << " " << method << " at " << rtol;
          before = e;
        } catch (const InvalidArgument& refused) {
          EXPECT_NE(std::string(refused.what()).find("does not fit"), std::string::npos)
              << c.name << " " << method << ": " << refused.what();
          break;
        }
      }
      if (std::string(method) == "bdf") {
        EXPECT_LT(before, 1e-3) << c.name;
      }
    }
}

TEST(Forward, StatesAreThoseOfThePlainRunBitForBit) {
  for (const Case& c : cases())
    for (const char* method : {"bdf", "radau", "rodas5p", "auto"}) {
      Options with = asking(method, 1e-6), without = with;
      with.events = without.events = c.events;
      without.sensitivities = {};
      try {
        const Solution a = solve(c.problem, {0.0, c.t}, with);
        const Solution b = solve(c.problem, {0.0, c.t}, without);
        ASSERT_EQ(a.times(), b.times()) << c.name << " " << method;
        for (std::size_t i = 0; i < a.times().size(); ++i)
          ASSERT_EQ(a.state(i).y(), b.state(i).y()) << c.name << " " << method;
        // Columns follow values inside the steps, for which some methods have stages of their own.
        EXPECT_EQ(a.statistics().in(Phase::step).factorisations,
                  b.statistics().in(Phase::step).factorisations);
      } catch (const InvalidArgument&) {
        continue;
      }
    }
}

TEST(Forward, DenseOutputGivesColumnsAnywhere) {
  for (const char* method : {"bdf", "rodas5p", "radau"}) {
    Options dense = asking(method, 1e-8), times = dense;
    dense.output = Output::dense;
    times.output = Output::times;
    times.output_times = {0.35, 1.7, 3.0};
    const Solution a = solve(abc(), {0.0, 3.0}, dense), b = solve(abc(), {0.0, 3.0}, times);
    for (const double t : times.output_times) {
      const double k1 = 0.7, k2 = 0.2, A = -t * std::exp(-k1 * t);  // dA/dk1
      const double q = k1 / (k1 - k2), dq = -k2 / ((k1 - k2) * (k1 - k2));
      const double B = dq * (std::exp(-k2 * t) - std::exp(-k1 * t)) + q * t * std::exp(-k1 * t);
      for (const Solution* s : {&a, &b}) {
        EXPECT_NEAR(s->sensitivity(t)("A", "k1"), A, 1e-6) << method << " at " << t;
        EXPECT_NEAR(s->sensitivity(t)("B", "k1"), B, 1e-6) << method << " at " << t;
      }
    }
    EXPECT_THROW(b.sensitivity(0.5), InvalidArgument);
    EXPECT_NEAR(a.sensitivity(3.0).scaled()(1, 0), 0.7 * 0.1732328323896884, 1e-6);
  }
}

TEST(Forward, EveryFormulationOfThePendulumGivesTheSame) {
  for (const auto& [method, formulation] :
       std::vector<std::pair<const char*, const char*>>{{"bdf", "index3"},
                                                        {"bdf", "index2"},
                                                        {"bdf", "ggl"},
                                                        {"bdf", "index1"},
                                                        {"bdf", "baumgarte"},
                                                        {"radau", "ggl"},
                                                        {"radau", "stabilised-index1"},
                                                        {"odassl", "overdetermined"},
                                                        {"rodas5p", "index1"},
                                                        {"bdf", "state-space"},
                                                        {"rk4", "auto"},
                                                        {"hedop5", "auto"},
                                                        {"phem56", "auto"},
                                                        {"generalised-alpha", "auto"}}) {
    Options o = asking(method, 1e-8, formulation);
    if (std::string(method) == "rk4" || std::string(method) == "generalised-alpha")
      o.fixed_step = 1.0 / 4096.0;
    const Solution s = solve(pendulum(), {0.0, 1.0}, o);
    ASSERT_TRUE(s.ok()) << method << " " << formulation << ": " << s.message();
    const Sensitivity d = s.sensitivity(1.0);
    const std::string which = std::string(method) + " " + formulation;
    EXPECT_NEAR(d("x", "length"), -0.8378389931737174, 2e-5) << which;
    EXPECT_NEAR(d("x", "gravity"), -0.01513279897636676, 2e-5) << which;
    EXPECT_NEAR(d("v", "length"), 5.391653241588071, 1e-4) << which;
    EXPECT_NEAR(d("lambda", "length"), 21.25761177148805, 1e-3) << which;
    EXPECT_NEAR(d("lambda", "mass"), 4.856269407484677, 1e-3) << which;
  }
}

// Without the bracket [x', s] columns on a group are wrong in the first digit.
TEST(Forward, ColumnsOnAGroupAgreeWithDifferencesOfRuns) {
  for (const char* method : {"bdf", "radau", "rk4", "auto"}) {
    Options o = asking(method, 1e-8);
    if (std::string(method) == "rk4") o.fixed_step = 1.0 / 1024.0;
    const SensitivityCheck c = check_sensitivities(heavy_top(), {0.0, 2.0}, o);
    ASSERT_EQ(c.columns.cols(), 2) << method << ": " << c.message;
    EXPECT_LT(c.worst, 1e-4) << method << ": " << c.message;
  }
}

TEST(Forward, AParameterMayEnterAnEquationLater) {
  for (const char* method : {"bdf", "radau", "rodas5p"}) {
    const Solution s = solve(late_parameter(), {0.0, 2.0}, asking(method, 1e-8));
    ASSERT_TRUE(s.ok()) << method << ": " << s.message();
    const Sensitivity d = s.sensitivity(2.0);
    const double y = std::exp(-1.1);
    EXPECT_NEAR(d("y1", "early"), -y, 1e-6) << method;
    EXPECT_NEAR(d("y1", "late"), -y, 1e-6) << method;
    EXPECT_EQ(d("y1", "other"), 0.0) << method;
    EXPECT_NEAR(d("y2", "other"), (1.0 - std::exp(-0.7)) / 0.7 + (std::exp(-0.7) - y) / 0.4, 1e-6)
        << method;
  }
}

TEST(Forward, StartValuesAreColumnsToo) {
  Options o = asking("bdf", 1e-9);
  o.sensitivities.parameters = {"k2"};
  o.sensitivities.start_values = {"A", "B"};
  const Solution s = solve(abc(), {0.0, 3.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  const Sensitivity d = s.sensitivity(3.0);
  EXPECT_NEAR(d("B", "A"), 0.5968972909774623, 1e-6);
  EXPECT_NEAR(d("B", "B"), std::exp(-0.6), 1e-6);
  EXPECT_NEAR(d("A", "A"), std::exp(-2.1), 1e-6);
  // One combination costs one column.
  o.sensitivities.directions = Eigen::Vector3d(2.0, 1.0, -1.0);
  const Sensitivity along = solve(abc(), {0.0, 3.0}, o).sensitivity(3.0);
  ASSERT_EQ(along.matrix().cols(), 1);
  EXPECT_NEAR(along.matrix()(1, 0), 2.0 * d("B", "k2") + d("B", "A") - d("B", "B"), 1e-6);
}

// x alone is pushed back to the circle by `solve`, and no question that `automatic` answers.
TEST(Forward, ConstraintsDecideWhatAStartValueMeans) {
  Options o = asking("bdf", 1e-8);
  o.sensitivities.parameters = {};
  o.sensitivities.start_values = {"x"};
  const Solution refused = solve(pendulum(), {0.0, 1.0}, o);
  EXPECT_EQ(refused.status(), Status::inconsistent_start);
  EXPECT_NE(refused.message().find("start of x"), std::string::npos) << refused.message();
  o.start = StartStrategy::solve;
  const Solution pushed = solve(pendulum(), {0.0, 1.0}, o);
  ASSERT_TRUE(pushed.ok()) << pushed.message();
  EXPECT_NEAR(pushed.sensitivity(1.0)("x", "x"), 0.0, 1e-5);
}

TEST(Forward, AForgottenStartIsRefused) {
  const Solution s = solve(pendulum(true), {0.0, 1.0}, asking("bdf", 1e-6));
  EXPECT_EQ(s.status(), Status::inconsistent_start);
  EXPECT_NE(s.message().find("'length'"), std::string::npos) << s.message();
  EXPECT_NE(s.message().find("`start`"), std::string::npos) << s.message();
  Problem fixed = index2();
  std::get<SemiExplicitProblem>(fixed).start = {};
  const Solution t = solve(fixed, {0.0, 1.0}, asking("bdf", 1e-6));
  EXPECT_EQ(t.status(), Status::inconsistent_start);
  EXPECT_NE(t.message().find("'p'"), std::string::npos) << t.message();
}

TEST(Forward, EventTimesHaveDerivatives) {
  Options o = asking("rodas5p", 1e-8);
  o.events = {impact()};
  const Solution s = solve(ball(), {0.0, 2.0}, o);
  ASSERT_EQ(s.events().size(), 3u);
  EXPECT_NEAR(s.events()[2].t, 1.751911727024636, 1e-8);
  EXPECT_NEAR(s.events()[2].time_derivative[0], 0.8759558635123180, 1e-6);
  EXPECT_NEAR(s.events()[2].time_derivative[1], -0.08929213695334536, 1e-6);
  EXPECT_NEAR(s.events()[2].time_derivative[2], 2.347922933125801, 1e-6);
  EXPECT_NEAR(s.events()[2].total(0, 0), 0.0, 1e-6);  // x stays 0 at the impact
  // Recorded ones do not act, and have one too: first passage of the pendulum through x = 0.
  Options p = asking("bdf", 1e-9);
  p.events = {{.name = "lowest", .when = [](const StateView& v) { return v.q()[0]; }}};
  const Solution passage = solve(pendulum(), {0.0, 1.0}, p);
  ASSERT_GE(passage.events().size(), 1u);
  EXPECT_NEAR(passage.events()[0].t, 0.5919604868940594, 1e-6);
  EXPECT_NEAR(passage.events()[0].time_derivative[0], 0.2959802434470297, 1e-5);
  EXPECT_NEAR(passage.events()[0].time_derivative[1], -0.03017127863884095, 1e-6);
}

TEST(Forward, ATouchedEventEndsTheDerivativeNotTheRun) {
  Options o = asking("rodas5p", 1e-8);
  o.events = {{.name = "top",
               .when =
                   [](const StateView& s) {
                     return (s.y()[0] - 0.5) * (s.y()[0] - 0.5) * (s.y()[0] - 0.5);
                   },
               .action = EventAction::handle,
               .handler = [](EventContext&) {}}};
  const Solution s = solve(ball(), {0.0, 0.4}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_FALSE(s.events().empty());
  EXPECT_TRUE(std::isnan(s.sensitivity(0.4).matrix()(0, 0)));
  ASSERT_FALSE(s.warnings().empty());
  EXPECT_NE(s.warnings()[0].find("touched, not crossed"), std::string::npos) << s.warnings()[0];
}

}  // namespace
}  // namespace daedalus::sensitivity_test
