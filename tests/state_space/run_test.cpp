// SPDX-License-Identifier: BSD-3-Clause
// Runs in local charts: no drift over a thousand periods, the order of the method across charts,
// events, dense output, checkpoints, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <catalogue/catalogue.hpp>
#include <daedalus/integrator.hpp>
#include <daedalus/solve.hpp>
#include <daedalus/testing/order.hpp>
#include <daedalus/testing/stepper.hpp>

#include "formulation/lower.hpp"
#include "integrate/loop.hpp"
#include "integrate/solution_data.hpp"
#include "state_space/models.hpp"

namespace daedalus::state_space_test {
namespace {

using ::testing::HasSubstr;

Options charts(const std::string& method, double tolerance = 1e-6) {
  Options o;
  o.method = method;
  o.formulation = "state-space";
  o.rtol = tolerance;
  o.atol = tolerance;
  return o;
}

TEST(ExactPendulum, MatchesTheReference) {
  const auto* entry = problems::find_problem("pendulum");
  const Eigen::VectorXd y = pendulum_at(10.0);
  for (int i = 0; i < 5; ++i)
    EXPECT_NEAR(y[i], entry->reference->values[static_cast<std::size_t>(i)].second, 1e-12);
}

// |g| stays at round-off, whatever the tolerance, and the phase is as good as the tolerance allows.
void long_run(const std::string& method, double periods, double fixed_step) {
  Options o = charts(method);
  o.fixed_step = fixed_step;
  o.max_steps = 10000000;
  const Solution s = solve(pendulum(), {0.0, periods * pendulum_period()}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_LE(s.statistics().position_residual, 1e-14) << method;
  EXPECT_LE(s.statistics().velocity_residual, 1e-13) << method;
  // An arc of 180 degrees there and back, a chart for every 27 or so.
  EXPECT_GE(static_cast<double>(s.statistics().chart_changes), 8.0 * periods) << method;
  EXPECT_LE(static_cast<double>(s.statistics().chart_changes), 20.0 * periods) << method;
  EXPECT_EQ(s.statistics().restarts, 0);
}

TEST(LongRun, TwentyPeriodsWithoutDrift) {
  for (const char* method : {"rk4", "mdop5", "rodas4", "bdf"}) {
    long_run(method, 20.0, 0.0);
    long_run(method, 20.0, pendulum_period() / 200.0);
  }
}

TEST(SlowLongRun, ThousandPeriodsWithoutDrift) {
  for (const char* method : {"rk4", "rodas4", "bdf"}) {
    long_run(method, 1000.0, 0.0);
    long_run(method, 1000.0, pendulum_period() / 200.0);
  }
}

// A stepper that is not told of new charts, or loses its past with them.
class Deaf final : public Stepper {
 public:
  enum class Kind { hears_nothing, forgets_the_past };
  Deaf(std::unique_ptr<Stepper> inner, Kind kind) : inner_(std::move(inner)), kind_(kind) {}
  Outcome start(const Start& s) override {
    if (s.reason != StartReason::chart_change) return inner_->start(s);
    if (kind_ == Kind::hears_nothing) return Outcome::ok;
    return inner_->start({s.reason, s.at, nullptr});
  }
  Attempt attempt(const StepRequest& r) override { return inner_->attempt(r); }
  State& trial() override { return inner_->trial(); }
  Outcome interpolant(Interpolant& out) override { return inner_->interpolant(out); }
  void commit(bool amended) override { inner_->commit(amended); }
  int interpolant_degree() const override { return inner_->interpolant_degree(); }
  void archive(Archive& a) override { inner_->archive(a); }

 private:
  std::unique_ptr<Stepper> inner_;
  Kind kind_;
};

struct Ladder {
  double order = 0.0;
  std::vector<double> errors{};
  long chart_changes = 0;
  Status status = Status::success;
};

// Largest error of q and v at the end over halved steps.
Ladder climb(const std::string& name, Options o, double t_end, std::initializer_list<int> steps,
             const Deaf::Kind* deaf = nullptr) {
  const auto problem = std::make_shared<const Problem>(pendulum());
  Method method = *find_method(name);
  if (deaf)
    method.make = [&](System& system, const MethodSettings& settings) -> std::unique_ptr<Stepper> {
      return std::make_unique<Deaf>(find_method(name)->make(system, settings), *deaf);
    };
  Ladder ladder;
  std::vector<double> h;
  for (const int n : steps) {
    o.fixed_step = t_end / n;
    o.output = Output::none;
    Loop loop(lower(problem, "state-space", method.view, {}, 0.0), method, o, {}, {});
    EXPECT_EQ(loop.start(model_start(loop.system(), *problem, 0.0), t_end), Status::success);
    ladder.status = loop.run(t_end);
    Eigen::VectorXd y(5);
    loop.system().to_model(loop.current(), y.data());
    ladder.errors.push_back((y - pendulum_at(t_end)).head(4).cwiseAbs().maxCoeff());
    ladder.chart_changes = loop.statistics().chart_changes;
    h.push_back(o.fixed_step);
  }
  ladder.order = testing::observed_order(h, ladder.errors, 1e-13);
  return ladder;
}

TEST(OrderAcrossCharts, OneStepMethods) {
  for (const auto& [name, order] : {std::pair("rk4", 4.0), {"rodas4", 4.0}, {"mdop5", 5.0}}) {
    const Ladder l = climb(name, charts(name), 2.5, {80, 160, 320});
    EXPECT_EQ(l.status, Status::success);
    EXPECT_NEAR(l.order, order, 0.35) << name << " " << l.errors.back();
    EXPECT_GE(l.chart_changes, 9) << name;
    EXPECT_LE(l.errors.back(), 1e-6) << name;
  }
}

Options bdf_of_order(int k) {
  Options o = charts("bdf", 1e-8);
  o.method_options = {{"order", k}, {"newton_tolerance", 1e-4}};
  // Start values only: the first change of the chart comes much later.
  o.known = [](double t, Out y) {
    y = pendulum_at(t);
    return t < 0.1;
  };
  return o;
}

TEST(OrderAcrossCharts, Bdf) {
  for (const int k : {1, 2, 3, 4}) {
    const Ladder l = climb("bdf", bdf_of_order(k), 2.5, {1600, 3200, 6400});
    EXPECT_EQ(l.status, Status::success);
    EXPECT_NEAR(l.order, k, 0.2) << "order " << k << ", last error " << l.errors.back();
    EXPECT_GE(l.chart_changes, 9);
  }
}

TEST(OrderAcrossCharts, SeesAMethodThatKeepsItsOldCoordinates) {
  const Deaf::Kind kind = Deaf::Kind::hears_nothing;
  const Ladder l = climb("rk4", charts("rk4"), 2.5, {160, 320}, &kind);
  EXPECT_TRUE(l.status != Status::success || l.errors.back() > 1e-2);
}

TEST(OrderAcrossCharts, SeesAMultistepMethodThatLosesItsPast) {
  const Deaf::Kind kind = Deaf::Kind::forgets_the_past;
  const Ladder l = climb("bdf", bdf_of_order(4), 2.5, {1600, 3200, 6400}, &kind);
  EXPECT_LT(l.order, 3.5) << l.errors.back();
}

TEST(DenseOutput, KeepsItsOrderAcrossCharts) {
  const auto exact = [](double t, const Variables&, Out y) {
    y = pendulum_at(t);
    return true;
  };
  const auto study = testing::measure_order(pendulum(), {0.0, 2.9}, charts("rk4"),
                                            {2.9 / 160, 2.9 / 320, 2.9 / 640}, exact);
  ASSERT_EQ(study.failure, "");
  EXPECT_GE(study.orders.at("q"), 3.65);
  EXPECT_GE(study.orders.at("v"), 3.65);
  EXPECT_GE(study.orders.at("lambda"), 3.65);
  EXPECT_GE(study.orders.at("dense"), 3.7);  // cubic Hermite: error h^4 inside a step
  const auto ends = testing::check_interpolant_ends(pendulum(), {0.0, 2.5}, charts("rodas4"));
  EXPECT_TRUE(ends.ok()) << ends.text();
}

// One step at a time: what is asked of the last step is in the chart of that step.
TEST(DenseOutput, IntegratorInterpolatesInTheLastStep) {
  for (const char* method : {"rk4", "rodas4", "bdf"}) {
    Integrator run(pendulum(), charts(method, 1e-8));
    ASSERT_EQ(run.initialize(0.0, 2.0), Status::success);
    double worst = 0.0;
    while (run.t() < 2.0) {
      const StepInfo info = run.step(2.0);
      ASSERT_EQ(info.status, Status::success);
      const ModelState s = run.interpolate(info.t - 0.4 * info.h);
      worst = std::max(worst, (s.y() - pendulum_at(s.t())).head(4).cwiseAbs().maxCoeff());
    }
    EXPECT_GT(run.statistics().chart_changes, 5) << method;
    EXPECT_LE(worst, 2e-5) << method;
  }
}

TEST(Charts, EventsAfterChartChanges) {
  for (const char* method : {"rk4", "rodas4", "bdf"}) {
    Options o = charts(method, 1e-8);
    o.events.push_back({.name = "bottom",
                        .when = [](const StateView& s) { return s["x"]; },
                        .action = EventAction::record});
    const double period = pendulum_period();
    const Solution s = solve(pendulum(), {0.0, 3.0 * period}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    ASSERT_EQ(s.events().size(), 6u) << method;
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(s.events()[k].t, (0.25 + 0.5 * static_cast<double>(k)) * period, 1e-5) << method;
  }
}

// The velocity is reversed at the bottom: the pendulum swings on one side only, with half the
// period.
TEST(Charts, HandlersActInChartsToo) {
  for (const char* method : {"rk4", "rodas4", "bdf"}) {
    Options o = charts(method, 1e-8);
    o.events.push_back({.name = "wall",
                        .when = [](const StateView& s) { return s["x"]; },
                        .direction = Crossing::falling,
                        .action = EventAction::handle,
                        .handler =
                            [](EventContext& c) {
                              for (double& v : c.of(VariableClass::v)) v = -v;
                            }});
    const double period = pendulum_period();
    const Solution s = solve(pendulum(), {0.0, 2.0 * period}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(s.events().size(), 4u) << method;
    EXPECT_GT(s.statistics().chart_changes, 10) << method;
    const Eigen::VectorXd start = pendulum_at(0.0);
    EXPECT_LE((s.end().y() - start).cwiseAbs().maxCoeff(), 2e-4) << method;
  }
}

// A handler may leave the chart: the state is mirrored, and so is the rest of the motion.
TEST(Charts, HandlersMayLeaveTheChart) {
  for (const char* method : {"rk4", "bdf"}) {
    Options o = charts(method, 1e-8);
    o.events.push_back({.name = "mirror",
                        .when = [](const StateView& s) { return s.t() - 0.3; },
                        .action = EventAction::handle,
                        .handler =
                            [](EventContext& c) {
                              c.of(VariableClass::q)[0] *= -1.0;
                              c.of(VariableClass::v)[0] *= -1.0;
                            }});
    Integrator run(pendulum(), o);
    ASSERT_EQ(run.initialize(0.0, 1.0), Status::success);
    while (run.t() < 0.3) ASSERT_EQ(run.step(1.0).status, Status::success);
    EXPECT_LT(run.state()["x"], 0.0);
    // The last step belongs to a chart that is gone.
    EXPECT_THROW(run.interpolate(0.3), InvalidArgument);
    ASSERT_EQ(run.run(1.0), Status::success);
    Eigen::VectorXd mirrored = pendulum_at(1.0);
    mirrored[0] *= -1.0, mirrored[2] *= -1.0;
    EXPECT_LE((run.state().y() - mirrored).cwiseAbs().maxCoeff(), 1e-4) << method;
  }
}

TEST(Charts, ContactCoordinatesAgreeWithTheCurveItself) {
  const Options o = charts("mdop5", 1e-10);
  const Solution a = solve(bead(true), {0.0, 3.0}, o), b = solve(bead(false), {0.0, 3.0}, o);
  ASSERT_TRUE(a.ok() && b.ok()) << a.message() << b.message();
  for (const char* name : {"q1", "q2", "v1", "v2", "c1", "lambda1"})
    EXPECT_NEAR(a.end()[name], b.end()[name], 1e-8) << name;
  EXPECT_NEAR(a.end()["s1"], a.end()["q1"], 1e-12);
  EXPECT_GT(a.statistics().chart_changes, 1);
}

TEST(Charts, AgreeWithTheIndexOneForm) {
  Options o = charts("mdop5", 1e-10), other = o;
  other.formulation = "index1";
  other.projection = ProjectionWhen::every_step;
  for (const Problem& p : {particle_with_nonholonomic_row(), bead(false)}) {
    const Solution a = solve(p, {0.0, 4.0}, o), b = solve(p, {0.0, 4.0}, other);
    ASSERT_TRUE(a.ok() && b.ok()) << a.message() << b.message();
    EXPECT_LE((a.end().y() - b.end().y()).cwiseAbs().maxCoeff(), 1e-6) << name_of(p);
    EXPECT_LE(a.statistics().position_residual, 1e-14);
    EXPECT_LE(a.statistics().velocity_residual, 1e-13);
  }
}

double reference_error(const std::string& problem, const Options& o) {
  const auto* entry = problems::find_problem(problem);
  const Solution s = solve(entry->problem(), {entry->t0, entry->t_end}, o);
  EXPECT_TRUE(s.ok()) << s.message();
  const auto& r = *entry->reference;
  double worst = 0.0;
  for (const auto& [name, value] : r.values) {
    const int i = s.variables().find(name);
    if (i >= 0 && i < s.variables().range_of(VariableClass::lambda)->first)
      worst = std::max(worst, std::abs(s.end().y()[i] - value) / (1.0 + std::abs(value)));
  }
  return worst;
}

TEST(Charts, PublishedProblems) {
  for (const char* method : {"mdop5", "rodas4", "bdf"}) {
    EXPECT_LE(reference_error("car-axis", charts(method)), 1e-3) << method;
    EXPECT_LE(reference_error("andrews", charts(method)), 1e-2) << method;
  }
}

TEST(Charts, ErrorsOfPublishedProblemsFallWithTheTolerance) {
  for (const char* method : {"mdop5", "rodas4"}) {
    EXPECT_LE(reference_error("car-axis", charts(method, 1e-9)), 1e-6) << method;
    EXPECT_LE(reference_error("andrews", charts(method, 1e-9)), 1e-5) << method;
  }
}

TEST(Charts, SameBitsAfterACheckpoint) {
  for (const char* method : {"rk4", "mdop5", "rodas4", "bdf"}) {
    for (const Problem& p : {pendulum(), bead(true)}) {
      const auto report = testing::check_resume(p, {0.0, 1.5}, charts(method, 1e-5));
      EXPECT_TRUE(report.ok()) << method << ", " << name_of(p) << ": " << report.text();
    }
  }
}

TEST(Charts, ToleranceOfAClassIsItsSmallest) {
  Options coarse = charts("rk4", 1e-4), mixed = coarse;
  mixed.atol = {1e-4, 1e-4, 1e-4, 1e-4, 1e-12};  // lambda is not a variable of the chart
  const Solution a = solve(pendulum(), {0.0, 2.0}, coarse);
  const Solution b = solve(pendulum(), {0.0, 2.0}, mixed);
  EXPECT_EQ(a.statistics().accepted, b.statistics().accepted);
  mixed.atol = {1e-4, 1e-12, 1e-4, 1e-4, 1e-4};
  mixed.rtol = 1e-12;
  EXPECT_GT(solve(pendulum(), {0.0, 2.0}, mixed).statistics().accepted,
            2 * a.statistics().accepted);
}

TEST(Refusal, NamesTheReason) {
  for (const Refused& r : refused()) {
    try {
      solve(r.problem, {0.0, 1.0}, charts("rk4"));
      ADD_FAILURE() << r.name << " was not refused";
    } catch (const InvalidArgument& e) {
      EXPECT_THAT(e.what(), HasSubstr(r.reason)) << r.name;
    }
  }
}

TEST(Refusal, InconsistentStartValuesAreNotMovedInSilence) {
  MultibodyProblem p = std::get<MultibodyProblem>(pendulum());
  p.q0[0] = 1.01;
  Options o = charts("rk4");
  const Solution s = solve(p, {0.0, 1.0}, o);
  EXPECT_EQ(s.status(), Status::inconsistent_start);
  EXPECT_THAT(s.message(), HasSubstr("'constraint 1' has residual"));
  EXPECT_EQ(s.start().y()[0], 1.01);
  o.start = StartStrategy::solve;
  const Solution moved = solve(p, {0.0, 1.0}, o);
  ASSERT_TRUE(moved.ok()) << moved.message();
  EXPECT_NEAR(moved.start().y()[0], 1.0, 1e-12);
}

}  // namespace
}  // namespace daedalus::state_space_test
