// SPDX-License-Identifier: BSD-3-Clause
// Whole runs: the counts and digits that the method promises on the published problems, failures
// and what follows them.
#include <gtest/gtest.h>

#include <array>

#include "bdf/support.hpp"
#include "formulation/initial_equations.hpp"
#include "formulation/lower.hpp"
#include "nonlinear/carried_error.hpp"

namespace daedalus::bdf_test {
namespace {

// DASSL codes fall into order 1 here: 279,952 steps at 1e-9, 2.2 million at 1e-10 (MEBDFI: 7,676).
TEST(BdfRuns, TransistorAmplifierStaysOutOfTheOrderTrap) {
  long before = 0;
  for (const double tol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    const Result r = run("transistor-amplifier", tol);
    ASSERT_TRUE(r.solution.ok()) << tol << ": " << r.solution.message();
    EXPECT_GT(r.steps(), before) << tol;
    EXPECT_GE(r.mescd, -std::log10(tol) - 1.0) << tol;
    EXPECT_LT(r.solution.statistics().order_histogram[1], 100) << tol;
    before = r.steps();
  }
  EXPECT_LT(before, 13500);
  const Result six = run("transistor-amplifier", 1e-10, {.method_options = {{"max_order", 6}}});
  ASSERT_TRUE(six.solution.ok());
  EXPECT_LT(six.steps(), 10000);
  EXPECT_GT(six.solution.statistics().order_histogram[6], 1000);
}

// Errors of mechanisms stay and add up: with the whole tolerance for each step the car axis loses
// 1.4 digits at 1e-6 and 1e-8.
TEST(BdfRuns, MechanismsReachTheToleranceAndTheShareIsAnOption) {
  for (const double tol : {1e-6, 1e-8}) {
    const Result tenth = run("car-axis", tol);
    const Result whole = run("car-axis", tol, {.method_options = {{"error_share", 1.0}}});
    ASSERT_TRUE(tenth.solution.ok() && whole.solution.ok());
    EXPECT_GE(tenth.mescd, -std::log10(tol) - 1.0);
    EXPECT_LT(whole.mescd, -std::log10(tol) - 1.0);
    EXPECT_LT(tenth.steps(), 1.6 * static_cast<double>(whole.steps()));
  }
  for (const double wrong : {-0.1, 1.5, std::nan("")})
    EXPECT_THROW(run("car-axis", 1e-6, {.method_options = {{"error_share", wrong}}}),
                 InvalidArgument);
}

TEST(SlowBdfRuns, TransistorAmplifierAtTheTightEnd) {
  long before = 12000;
  for (const double tol : {1e-11, 1e-12}) {
    const Result r = run("transistor-amplifier", tol);
    ASSERT_TRUE(r.solution.ok()) << r.solution.message();
    EXPECT_GT(r.steps(), before);
    EXPECT_GE(r.mescd, -std::log10(tol) - 1.0);
    before = r.steps();
  }
}

void expect_error_to_fall(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    double before = -10.0, first = -10.0;
    for (const double tol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      const Result r = run(name, tol, {.start = StartStrategy::solve});
      ASSERT_TRUE(r.solution.ok()) << name << " " << tol << ": " << r.solution.message();
      const double digits = problems::find_problem(name)->reference->digits;
      // Half a digit for luck at the end of a run; six decades have to give at least three digits.
      EXPECT_TRUE(r.mescd > before - 0.5 || r.mescd > digits - 1.0)
          << name << " at " << tol << ": " << before << " then " << r.mescd;
      before = r.mescd;
      if (tol == 1e-4) first = before;
      if (tol == 1e-10) {
        EXPECT_TRUE(before > first + 3.0 || before > digits - 1.0) << name;
      }
    }
  }
}

TEST(BdfRuns, ErrorFallsWithTheToleranceIndexOne) {
  expect_error_to_fall({"akzo", "robertson", "hires", "pollution", "van-der-pol", "brenan",
                        "kvaerno-a", "weissinger"});
}
// The data of the slider crank have nine digits: consistent start values come first.
TEST(BdfRuns, ErrorFallsWithTheToleranceIndexTwo) {
  expect_error_to_fall({"jay", "jay-nonlinear", "slider-crank", "knife-edge", "pendulum",
                        "car-axis", "arevalo", "andrews"});
}
TEST(SlowBdfRuns, ErrorFallsWithTheToleranceRingModulators) {
  expect_error_to_fall({"ring-modulator", "ring-modulator-index2"});
}

// y1' = f(t) and a given algebraic variable: nothing but interpolation is needed.
TEST(BdfRuns, TrivialMixturesAreCheap) {
  for (int kind = 0; kind < 3; ++kind) {
    const Problem p = ImplicitProblem{
        .name = "mixture",
        .residual = autodiff([kind](const auto& t, const auto& y, const auto& yp, auto& r) {
          using std::cos;
          using std::exp;
          using std::sin;
          r[0] = kind == 0 ? yp[0] - cos(t) : kind == 1 ? yp[0] - y[1] : yp[0] - exp(-t);
          r[1] = kind == 0 ? y[1] - sin(t) : kind == 1 ? y[1] - cos(t) : y[1] - cos(3.0 * t);
        }),
        .y0 = vector({0.0, kind == 0 ? 0.0 : 1.0}),
        .yp0 = vector({1.0, kind == 0 ? 1.0 : 0.0})};
    const Solution s = solve(p, {0.0, 1.0}, {.method = "bdf", .rtol = 1e-8, .atol = 1e-8});
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_LE(s.statistics().steps(), 100) << kind;
    const double exact = kind == 2 ? 1.0 - std::exp(-1.0) : std::sin(1.0);
    EXPECT_NEAR(s.end().y()[0], exact, 1e-6);
  }
}

// Tangential velocities are differential variables and their errors stay: tested with h times the
// error, as the others of index 2, they cost one digit of car-axis and 1.3 of andrews at 1e-6.
TEST(BdfRuns, IndexThreeRunsAndWarns) {
  struct Case {
    const char* name;
    std::array<double, 4> digits;  // at 1e-4, 1e-6, 1e-8, 1e-10: 0.3 to 0.4 less than measured
    // Those of andrews scatter by one where the tolerance changes by a twentieth: the mean of five.
    int tolerances = 1;
  };
  for (const Case& c :
       {Case{"pendulum", {2.5, 3.5, 5.1, 6.7}}, Case{"car-axis", {2.9, 4.7, 6.4, 8.1}},
        Case{"andrews", {3.7, 5.0, 7.2, 8.8}, 5}, Case{"slider-crank", {5.9, 8.0, 8.3, 7.0}}})
    for (std::size_t k = 0; k < c.digits.size(); ++k) {
      const double tol = std::pow(10.0, -4.0 - 2.0 * static_cast<double>(k));
      Options o{.formulation = "index3", .start = StartStrategy::solve};
      // A tenth of 1e-10 is below the round-off of its dq.
      if (std::string_view(c.name) == "slider-crank" && k == 3)
        o.method_options = {{"error_share", 1.0}};
      double digits = 0.0;
      for (int i = 0; i < c.tolerances; ++i) {
        const double factor = 1.0 + 0.05 * (i - c.tolerances / 2);
        const Result r = run(c.name, factor * tol, o);
        ASSERT_TRUE(r.solution.ok()) << c.name << " " << tol << ": " << r.solution.message();
        ASSERT_FALSE(r.solution.warnings().empty());
        EXPECT_NE(r.solution.warnings().back().find("lower index"), std::string::npos);
        digits += r.mescd / c.tolerances;
      }
      EXPECT_GT(digits, c.digits[k]) << c.name << " " << tol;
    }
  EXPECT_TRUE(run("pendulum", 1e-4, {.formulation = "index2"}).solution.warnings().empty());
}

// On the pendulum at (0.6, -0.8): the error of v along the circle is carried on, that across it is
// not, and those of q and lambda are no errors of index-2 variables. h = 1e-4: up to O(h).
TEST(BdfRuns, CarriedErrorsOfIndexThreeAreTangential) {
  auto problem = std::make_shared<const Problem>([] {
    auto p = std::get<MultibodyProblem>(problems::find_problem("pendulum")->problem());
    p.q0 = vector({0.6, -0.8});
    p.v0 = vector({1.6, 1.2});
    return p;
  }());
  const auto part = [&](const char* formulation, std::initializer_list<double> error) {
    const auto system = lower(problem, formulation, View::residual, {}, 0.0);
    State s = model_start(*system, *problem, 0.0);
    system->prepare(s);
    CarriedError carried(*system);
    EXPECT_EQ(carried.needed(), std::string(formulation) == "index3");
    Eigen::VectorXd found = Eigen::VectorXd::Zero(5);
    if (!carried.needed()) return found;
    const Eigen::VectorXd rate = Eigen::VectorXd::Zero(5);
    EXPECT_EQ(system->residual_view()->linearise(0.0, s.x.data(), rate.data()), Outcome::ok);
    EXPECT_EQ(system->residual_view()->residual_pencil().factorise(1e4, 1.0), Outcome::ok);
    carried.find(vector(error), found);
    return found;
  };
  EXPECT_LT((part("index3", {0.0, 0.0, 0.8, 0.6, 0.0}) - vector({0.0, 0.0, 0.8, 0.6, 0.0})).norm(),
            1e-3);
  EXPECT_LT(part("index3", {0.0, 0.0, 0.6, -0.8, 0.0}).norm(), 1e-3);
  EXPECT_EQ(part("index3", {1.0, 1.0, 0.0, 0.0, 9.0}).norm(), 0.0);
  EXPECT_EQ(part("index2", {1.0, 1.0, 1.0, 1.0, 1.0}).norm(), 0.0);
}

// y1' = -2 y1 z, y2' = -2 y2 z, y1^2 + y2^2 = 1 rests at z = 0; implicit Euler also solves its
// equations at y = -y_n with z = -1/h (Arnold 1998, Remark 8). A wrong z = 1/h at the start makes
// y' = -2 y / h, so that Newton's iteration begins at -y_n.
TEST(BdfRuns, TheSpuriousSolutionIsNotAccepted) {
  const auto problem = [](double z) {
    return ImplicitProblem{
        .name = "two-branch",
        .residual = autodiff([](const auto&, const auto& y, const auto& yp, auto& r) {
          r[0] = yp[0] + 2.0 * y[0] * y[2];
          r[1] = yp[1] + 2.0 * y[1] * y[2];
          r[2] = y[0] * y[0] + y[1] * y[1] - 1.0;
        }),
        .variable_index = {1, 1, 2},
        .y0 = vector({0.6, 0.8, z}),
        .yp0 = vector({-1.2 * z, -1.6 * z, 0.0}),
        .index = 2};
  };
  Options o{.method = "bdf", .fixed_step = 0.01, .start = StartStrategy::given};
  o.method_options["order"] = 1;
  const Solution s = solve(problem(100.0), {0.0, 0.1}, o);
  EXPECT_EQ(s.status(), Status::wrong_branch);
  EXPECT_NE(s.message().find("Wrong branch"), std::string::npos) << s.message();
  EXPECT_NE(s.message().find("y3"), std::string::npos) << s.message();
  const Solution right = solve(problem(0.0), {0.0, 0.1}, o);
  ASSERT_TRUE(right.ok()) << right.message();
  EXPECT_NEAR(right.end().y()[0], 0.6, 1e-9);
}

// "Outside my domain": smaller steps near the edge, then on.
// Newton's test looks at weighted corrections, and the solvers scale matrix and residual row by row
// with powers of two: units that are powers of two change no bit.
TEST(BdfRuns, UnitsOfTheEquationsDoNotMatter) {
  const double z = (std::sqrt(2.2) - 1.0) / 0.6;  // consistent: z + 0.3 z^2 = 1
  const auto decay = [=](double unit) {
    return ImplicitProblem{
        .name = "units",
        .residual = autodiff([=](const auto& t, const auto& y, const auto& yp, auto& r) {
          using std::sin;
          r[0] = (yp[0] + 3.0 * y[0] - y[2] * y[2]) / unit;
          r[1] = yp[1] + y[0] * y[1] - y[2];
          r[2] = unit * (y[2] + 0.3 * y[2] * y[2] - y[0] - 0.1 * sin(t));
        }),
        .y0 = vector({1.0, 0.5, z}),
        .yp0 = vector({z * z - 3.0, z - 0.5, 0.0}),
        .index = 1};
  };
  const Options o{.method = "bdf", .rtol = 1e-8, .atol = 1e-8, .start = StartStrategy::given};
  const Solution plain = solve(decay(1.0), {0.0, 2.0}, o);
  const Solution scaled = solve(decay(std::ldexp(1.0, 40)), {0.0, 2.0}, o);
  ASSERT_TRUE(plain.ok()) << plain.message();
  ASSERT_TRUE(scaled.ok()) << scaled.message();
  EXPECT_EQ(plain.statistics().accepted, scaled.statistics().accepted);
  EXPECT_EQ(plain.statistics().total().newton_iterations,
            scaled.statistics().total().newton_iterations);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(plain.end().y()[i], scaled.end().y()[i]) << i;
}

TEST(BdfRuns, RejectionsByACallableAreRecoverable) {
  int rejected = 0;
  const Problem p = MassMatrixProblem{.name = "root",
                                      .rhs =
                                          [&rejected](double, In y, Out f) {
                                            if (y[0] < 0.0) {
                                              ++rejected;
                                              return Eval::reject;
                                            }
                                            f[0] = -50.0 * std::sqrt(y[0]) * (y[0] - 1e-4);
                                            return Eval::ok;
                                          },
                                      .y0 = vector({1.0}),
                                      .index = 0};
  const Solution s =
      solve(p, {0.0, 20.0}, {.method = "bdf", .rtol = 1e-3, .atol = 1e-5, .initial_step = 1.0});
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_GT(rejected, 0) << "the edge was not met";
  EXPECT_NEAR(s.end().y()[0], 1e-4, 1e-4);
}

// After a jump of the right-hand side, handled or not, the run goes on, and both agree.
TEST(BdfRuns, RestartsAtEvents) {
  MassMatrixProblem p{.name = "switch",
                      .rhs = autodiff([](const auto& x, auto& f) { f[0] = x.modes[0] * x.y[0]; }),
                      .y0 = vector({1.0}),
                      .index = 0};
  p.modes = {-1.0};
  Options o{.method = "bdf", .rtol = 1e-8, .atol = 1e-8, .output = Output::dense};
  o.events = {{.name = "half",
               .when = [](const StateView& s) { return s.y()[0] - 0.5; },
               .direction = Crossing::falling,
               .action = EventAction::handle,
               .handler = [](EventContext& c) { c.modes[0] = 1.0; }}};
  const Solution s = solve(p, {0.0, 2.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  ASSERT_EQ(s.events().size(), 1u);
  EXPECT_NEAR(s.events()[0].t, std::log(2.0), 1e-7);
  EXPECT_NEAR(s.end().y()[0], 0.5 * std::exp(2.0 - std::log(2.0)), 1e-5);
  EXPECT_EQ(s.statistics().restarts, 1);
}

// The interpolant between two steps is as good as the steps.
TEST(BdfRuns, DenseOutputHasTheAccuracyOfTheSteps) {
  const Problem p =
      ImplicitProblem{.name = "oscillator",
                      .residual = autodiff([](const auto&, const auto& y, const auto& yp, auto& r) {
                        r[0] = yp[0] - y[1];
                        r[1] = yp[1] + y[0];
                        r[2] = y[2] - y[0] * y[1];
                      }),
                      .y0 = vector({0.0, 1.0, 0.0}),
                      .yp0 = vector({1.0, 0.0, 1.0})};
  const Solution s =
      solve(p, {0.0, 10.0}, {.method = "bdf", .rtol = 1e-7, .atol = 1e-7, .output = Output::dense});
  ASSERT_TRUE(s.ok()) << s.message();
  double at_steps = 0.0, between = 0.0;
  const auto error = [&](double t) {
    const Eigen::VectorXd y = s.at(t).y();
    return std::max(std::abs(y[0] - std::sin(t)), std::abs(y[2] - 0.5 * std::sin(2.0 * t)));
  };
  for (std::size_t i = 1; i < s.times().size(); ++i) {
    at_steps = std::max(at_steps, error(s.times()[i]));
    between = std::max(between, error(0.5 * (s.times()[i] + s.times()[i - 1])));
  }
  EXPECT_LT(between, 2.0 * at_steps + 1e-7);
}

TEST(BdfRuns, OrdersThatDoNotExistAreRefused) {
  for (const auto& [key, value] : std::map<std::string, double>{
           {"max_order", 0}, {"max_order", 7}, {"order", -1}, {"order", 2.5}})
    EXPECT_THROW(run("jay", 1e-4, {.method_options = {{key, value}}}), InvalidArgument) << key;
}

// One engine, the strategy of 1992: step counts of the linear example and of the pendulum
// (Tischendorf 1992, section 4.5: 22, 24, 28, 31, 35, 38; 21/4, 56/6, 125/4; her limits of the
// steps are not printed, so a quarter is allowed).
TEST(Dae2sol, TakesAboutAsManyStepsAsPublished) {
  const double counts[] = {22, 24, 28, 31, 35, 38};
  for (int k = 1; k <= 6; ++k) {
    const Result r = run("tischendorf-linear", std::pow(10.0, -k),
                         {.method = "dae2sol", .method_options = {{"first_test", 1}}});
    ASSERT_TRUE(r.solution.ok()) << r.solution.message();
    EXPECT_NEAR(static_cast<double>(r.steps()), counts[k - 1], 4.0) << "1e-" << k;
  }
  const double pendulum[] = {21, 56, 125};
  for (int k = 1; k <= 3; ++k) {
    const Result r = run("tischendorf-pendulum-ggl", std::pow(10.0, -2 * k), {.method = "dae2sol"});
    ASSERT_TRUE(r.solution.ok()) << r.solution.message();
    EXPECT_NEAR(static_cast<double>(r.steps()), pendulum[k - 1], 0.3 * pendulum[k - 1]) << k;
  }
}

TEST(Dae2sol, TestingAllComponentsCostsMore) {
  Options all{.method = "dae2sol", .error_test = ErrorPolicy::all};
  all.max_steps = 20000;
  const Result one = run("tischendorf-pendulum-ggl", 1e-6, {.method = "dae2sol"});
  const Result two = run("tischendorf-pendulum-ggl", 1e-6, all);
  ASSERT_TRUE(one.solution.ok()) << one.solution.message();
  EXPECT_TRUE(!two.solution.ok() || two.steps() > 2 * one.steps()) << two.steps();
}

}  // namespace
}  // namespace daedalus::bdf_test
