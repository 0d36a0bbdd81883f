// SPDX-License-Identifier: BSD-3-Clause
// Hooks of a run: defect, cancellation, progress, trace; statistics per phase; one step at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <catalogue/catalogue.hpp>
#include <daedalus/integrator.hpp>
#include <daedalus/method.hpp>
#include <daedalus/recommend.hpp>

#include "loop/support.hpp"

namespace daedalus::loop_test {
namespace {

Problem two_rows() {
  return MassMatrixProblem{.name = "two-rows",
                           .rhs = autodiff([](const auto&, const auto& y, auto& f) {
                             f[0] = 0.0 * y[0];
                             f[1] = 0.0 * y[1];
                           }),
                           .y0 = vector({1.0, 2.0}),
                           .index = 0,
                           .variables = {"a", "b"},
                           .equations = {"row a", "row b"}};
}

Problem two_rates() {
  return SemiExplicitProblem{.name = "two-rates",
                             .f = autodiff([](const auto&, const auto& y, const auto&, auto& f) {
                               f[0] = 0.0 * y[0];
                               f[1] = 0.0 * y[1];
                             }),
                             .y0 = vector({1.0, 2.0}),

                             .y_names = {"a", "b"},
                             .equations = {"row a", "row b"}};
}

Defect on_row(const std::string& name, std::function<double(const DefectSite&)> size) {
  return [name, size](const DefectSite& site, Out rows) {
    const auto found = std::find(site.row_names.begin(), site.row_names.end(), name);
    ASSERT_NE(found, site.row_names.end()) << "no row is called " << name;
    rows[found - site.row_names.begin()] += size(site);
  };
}

// M y' - f + delta = 0: a defect of 1/2 in one row moves its variable by 1/2 per unit of time.
TEST(Defects, AddToTheNamedRow) {
  int checked = 0;
  for (const Method* m : all_methods()) {
    if (m->view == View::mechanical || m->stabilised_only || m->multibody_only) continue;
    Options o{.method = m->name, .fixed_step = 0.1};
    o.defect = on_row("row b", [](const DefectSite&) { return 0.5; });
    // The separated form of a mass matrix combines rows: they keep their names in y' = f only.
    const Solution s =
        solve(m->view == View::partitioned ? two_rates() : two_rows(), {0.0, 2.0}, o);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_NEAR(s.end()["a"], 1.0, 1e-12) << m->name;
    EXPECT_NEAR(std::abs(s.end()["b"] - 2.0), 1.0, 1e-10) << m->name;
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

TEST(Defects, KnowTheStepTheyBelongTo) {
  Options o{.method = "implicit-euler", .fixed_step = 0.1};
  long last = -1;
  o.defect = on_row("row a", [&](const DefectSite& site) {
    EXPECT_NEAR(site.t, 0.1 * static_cast<double>(site.step), 1e-12);
    EXPECT_NEAR(site.h, 0.1, 1e-12);
    last = site.step;
    return site.step % 2 == 0 ? 0.5 : -0.5;
  });
  const Solution s = solve(two_rows(), {0.0, 2.0}, o);
  EXPECT_EQ(last, 19);
  EXPECT_NEAR(s.end()["a"], 1.0, 1e-12) << "alternating defects cancel";
}

TEST(Cancellation, StopsBeforeTheNextStep) {
  int calls = 0;
  Options o{.method = "rodas4", .fixed_step = 0.1};
  o.cancel = [&] { return ++calls > 5; };
  const Solution s = solve(decay(), {0.0, 2.0}, o);
  EXPECT_EQ(s.status(), Status::cancelled);
  EXPECT_EQ(s.statistics().accepted, 5);
  EXPECT_NEAR(s.end_time(), 0.5, 1e-15);
  EXPECT_NEAR(s.end()["y"], std::exp(-0.5), 1e-6);
  EXPECT_FALSE(s.message().empty());
}

TEST(ProgressReports, FollowTheAcceptedSteps) {
  std::vector<Progress> reports;
  Options o{.method = "rodas4"};
  o.progress = [&](const Progress& p) { reports.push_back(p); };
  const Solution s = solve(oscillator(), {0.0, 5.0}, o);
  ASSERT_EQ(reports.size(), static_cast<std::size_t>(s.statistics().accepted));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i].t, s.times()[i + 1]);
    EXPECT_EQ(reports[i].t_end, 5.0);
    EXPECT_NEAR(reports[i].h, s.times()[i + 1] - s.times()[i], 1e-14);
    EXPECT_EQ(reports[i].steps, static_cast<long>(i) + 1);
  }
}

TEST(Trace, TellsEveryAttempt) {
  struct Copy {
    long number;
    double t, h, error;
    int order;
    std::string outcome, worst;
  };
  std::vector<Copy> records;
  Options o{.method = "rodas4", .rtol = 1e-7, .atol = 1e-7};
  o.trace = [&](const StepRecord& r) {
    records.push_back(
        {r.number, r.t, r.h, r.error, r.order, std::string(r.outcome), std::string(r.worst_name)});
  };
  const Solution s = solve(relaxation(), {0.0, 60.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  const Statistics& all = s.statistics();
  ASSERT_EQ(records.size(), static_cast<std::size_t>(all.steps()));
  EXPECT_GT(all.rejected, 0);
  double t = 0.0;
  long rejected = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Copy& r = records[i];
    EXPECT_EQ(r.number, static_cast<long>(i) + 1);
    EXPECT_EQ(r.t, t) << "an attempt starts where the last accepted step ended";
    EXPECT_EQ(r.order, 4);
    EXPECT_TRUE(r.worst == "position" || r.worst == "velocity") << r.worst;
    if (r.outcome == "accepted") {
      EXPECT_LE(r.error, 1.0);
      t = s.times()[i - static_cast<std::size_t>(rejected) + 1];
    } else {
      EXPECT_EQ(r.outcome, "error_test");
      EXPECT_GT(r.error, 1.0);
      ++rejected;
    }
  }
  EXPECT_EQ(rejected, all.rejected);
}

TEST(StatisticsOfARun, AreKeptPerPhase) {
  const problems::Entry& e = *problems::find_problem("pendulum");
  Options o{.method = "rk4", .projection = ProjectionWhen::every_step, .fixed_step = 0.01};
  o.output = Output::none;
  const Solution s = solve(e.problem(), {0.0, 1.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  const Statistics& all = s.statistics();
  EXPECT_EQ(all.accepted, 100);
  EXPECT_EQ(all.projections, 100);
  // Four new stages per step, each one saddle-point system; the fifth is the next one's first.
  EXPECT_EQ(all.in(Phase::step).factorisations, 400);
  EXPECT_EQ(all.in(Phase::step).function_evaluations, 400);
  EXPECT_EQ(all.in(Phase::step).curvature_evaluations, 400);
  EXPECT_GE(all.in(Phase::projection).constraint_evaluations, 100);
  EXPECT_EQ(all.in(Phase::projection).function_evaluations, 0);
  EXPECT_EQ(all.in(Phase::events).function_evaluations, 0);
  EXPECT_GT(all.in(Phase::start).factorisations, 0);
  EXPECT_LT(all.position_residual, 1e-9);
  EXPECT_LT(all.velocity_residual, 1e-9);
  long sum = 0;
  for (const Counts& c : all.phases) sum += c.factorisations;
  EXPECT_EQ(all.total().factorisations, sum);
  // Without projection the same steps cost the same.
  o.projection = ProjectionWhen::none;
  const Solution free = solve(e.problem(), {0.0, 1.0}, o);
  EXPECT_EQ(free.statistics().in(Phase::step).factorisations, 400);
  EXPECT_EQ(free.statistics().in(Phase::projection).solves, 0);
  EXPECT_EQ(free.statistics().projections, 0);
  EXPECT_GT(free.statistics().position_residual, all.position_residual);
}

TEST(StatisticsOfARun, TellStepsAndOrders) {
  const Solution s = solve(relaxation(), {0.0, 30.0}, {.method = "rodas4"});
  const Statistics& all = s.statistics();
  EXPECT_EQ(std::accumulate(all.order_histogram.begin(), all.order_histogram.end(), 0L),
            all.accepted);
  ASSERT_EQ(all.order_histogram.size(), 5u);
  EXPECT_EQ(all.order_histogram[4], all.accepted);
  double least = 1e9, largest = 0.0;
  for (std::size_t i = 1; i < s.times().size(); ++i) {
    least = std::min(least, s.times()[i] - s.times()[i - 1]);
    largest = std::max(largest, s.times()[i] - s.times()[i - 1]);
  }
  EXPECT_NEAR(all.h_min, least, 1e-12);
  EXPECT_NEAR(all.h_max, largest, 1e-12);
  EXPECT_GT(all.seconds, 0.0);
}

TEST(OneStepAtATime, IsTheSameRunBitForBit) {
  for (const char* name : {"pendulum", "transistor-amplifier", "brenan", "andrews"})
    for (const Method* m : all_methods()) {
      if (m->error_order == 0) continue;
      const problems::Entry& e = *problems::find_problem(name);
      const Interval interval{e.t0, e.t0 + 0.01 * (e.t_end - e.t0)};
      Options o{.method = m->name, .rtol = 1e-5, .atol = 1e-5};
      const Problem p = e.problem();
      try {
        recommend(p, o);
      } catch (const InvalidArgument&) {
        continue;
      }
      const Solution whole = solve(p, interval, o);
      Integrator integrator(p, o);
      ASSERT_EQ(integrator.initialize(interval.from, interval.to), Status::success);
      long steps = 0;
      while (integrator.t() < interval.to) {
        const double before = integrator.t();
        const StepInfo info = integrator.step(interval.to);
        ASSERT_EQ(info.status, Status::success) << name;
        EXPECT_EQ(info.t, integrator.t());
        EXPECT_NEAR(info.h, info.t - before, 1e-14 + 1e-12 * info.h);
        ++steps;
      }
      EXPECT_EQ(steps, whole.statistics().accepted) << name << " " << m->name;
      EXPECT_EQ(integrator.state().y(), whole.end().y()) << name << " " << m->name;
      EXPECT_EQ(integrator.solution().times(), whole.times()) << name << " " << m->name;
    }
}

TEST(OneStepAtATime, InterpolatesInTheLastStep) {
  Options o{.method = "rodas4", .rtol = 1e-9, .atol = 1e-9, .output = Output::none};
  Integrator integrator(oscillator(), o);
  ASSERT_EQ(integrator.initialize(0.0, 5.0), Status::success);
  for (int i = 0; i < 20; ++i) {
    const StepInfo info = integrator.step(5.0);
    const double t = info.t - 0.3 * info.h;
    EXPECT_NEAR(integrator.interpolate(t)["sine"], std::sin(t), 1e-6);
  }
}

TEST(OneStepAtATime, RefusesMisuse) {
  Integrator integrator(oscillator(), {.method = "rodas4"});
  EXPECT_THROW(integrator.step(1.0), InvalidArgument);
  EXPECT_THROW(integrator.t(), InvalidArgument);
  ASSERT_EQ(integrator.initialize(0.0), Status::success);
  integrator.step(1.0);
  EXPECT_THROW(integrator.step(-1.0), InvalidArgument);
}

}  // namespace
}  // namespace daedalus::loop_test
