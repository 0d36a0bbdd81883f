// SPDX-License-Identifier: BSD-3-Clause
// Runs in lanes: end values agree with the library's runs on every problem of the catalogue that
// lanes take, bits do not depend on width, instruction set, machine code or threads, and a run that
// lanes cannot do is done by the library.
#include <algorithm>
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <catalogue/catalogue.hpp>
#include <daedalus/autodiff.hpp>
#include <daedalus/ensemble.hpp>
#include <daedalus/solve.hpp>

#include "ensemble/lanes/worker.hpp"

namespace daedalus::ensemble_test {
namespace {

using ::testing::HasSubstr;

// The numbers of random tests: the same everywhere.
double uniform(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

// Van der Pol's oscillator with a captured parameter, and what may go wrong with it.
EnsembleTask oscillator(double mu) {
  MassMatrixProblem p;
  p.name = "oscillator";
  p.y0 = Eigen::Vector2d(2.0, 0.0);
  p.index = 0;
  p.rhs = autodiff([mu](const auto&, const auto& y, auto& f) {
    f[0] = y[1];
    f[1] = mu * ((1.0 - y[0] * y[0]) * y[1] - y[0]);
  });
  return {p, {0.0, 2.0}, {}};
}

// All tasks on one thread's lanes of a kind; runs that were handed over stay empty.
std::vector<EnsembleRun> run_lanes(const std::vector<EnsembleTask>& tasks, const lanes::Way& way) {
  std::string reason;
  const auto plan = lanes::make_plan(tasks, true, reason, way);
  EXPECT_TRUE(plan) << reason;
  std::vector<EnsembleRun> runs(tasks.size());
  if (!plan) return runs;
  std::size_t next = 0;
  lanes::work(*plan, {[&]() -> std::optional<std::size_t> {
                        if (next == tasks.size()) return {};
                        return next++;
                      },
                      [&](std::size_t k) { return tasks[k]; },
                      [&](std::size_t k, EnsembleRun&& run) { runs[k] = std::move(run); },
                      [](std::size_t) {}, [] { return false; }});
  return runs;
}

double difference(const std::vector<double>& a, const std::vector<double>& b, const Options& o) {
  double largest = a.size() == b.size() ? 0.0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(
        largest, std::abs(a[i] - b[i]) / (o.atol[static_cast<int>(i)] + o.rtol * std::abs(b[i])));
  return largest;
}

std::vector<EnsembleTask> oscillators(std::size_t count) {
  std::vector<EnsembleTask> tasks;
  for (std::size_t k = 0; k < count; ++k) tasks.push_back(oscillator(1.0 + 99.0 * uniform(k)));
  return tasks;
}

TEST(Lanes, BitsAreThoseOfOneNumberInEveryWidthSetAndInMachineCode) {
  const std::vector<EnsembleTask> tasks = oscillators(37);  // no multiple of a width
  const std::vector<EnsembleRun> one = run_lanes(tasks, {"plain", 1, false});
  for (const lanes::InstructionSet& set : lanes::instruction_sets())
    for (const lanes::Functions& f : set.widths) {
      for (const bool code : {false, true}) {
        const auto runs = run_lanes(tasks, {std::string(set.name), f.width, code});
        for (std::size_t k = 0; k < tasks.size(); ++k)
          EXPECT_EQ(runs[k].y, one[k].y) << set.name << ' ' << f.width << ", run " << k;
      }
    }
  const auto code = run_lanes(tasks, {});
  for (std::size_t k = 0; k < tasks.size(); ++k) EXPECT_EQ(code[k].y, one[k].y) << k;
  for (const EnsembleRun& run : one) EXPECT_TRUE(run.ok && run.engine == Engine::lanes);
}

TEST(Lanes, AgreeWithTheLibraryAndWithAnyNumberOfThreads) {
  const std::vector<EnsembleTask> tasks = oscillators(100);
  EnsembleSettings settings{.threads = 1, .engine = Engine::lanes};
  const auto make = [&](std::size_t k) { return tasks[k]; };
  const EnsembleResult one = solve_ensemble(tasks.size(), make, settings);
  settings.threads = 3;
  const EnsembleResult three = solve_ensemble(tasks.size(), make, settings);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    EXPECT_EQ(one.runs[k].y, three.runs[k].y);
    // The method of the lanes; the automatic choice goes over to another one in long runs.
    Options named = tasks[k].options;
    named.method = "rodas5p";
    const Solution alone = solve(tasks[k].problem, tasks[k].interval, named);
    const Eigen::VectorXd y = alone.end().y();
    EXPECT_LE(difference(one.runs[k].y, {y.data(), y.data() + y.size()}, tasks[k].options), 10.0);
  }
  EXPECT_EQ(one.engine, Engine::lanes);
  EXPECT_EQ(one.handed_over, 0u);
}

// Functions of the lanes against the mathematical library; 2 units in the last place.
TEST(Lanes, FunctionsAreExactToTwoUnitsInTheLastPlace) {
  const lanes::Functions& f = *lanes::functions("plain", 1);
  const auto check = [](lanes::OnSlot g, double (*exact)(double), double x, double slack) {
    double got = 0.0;
    g(&got, &x);
    const double want = exact(x);
    EXPECT_LE(std::abs(got - want), 2.0 * 0x1p-52 * std::max(std::abs(want), slack)) << x;
  };
  for (std::uint64_t k = 0; k < 20000; ++k) {
    const double u = uniform(k);
    check(f.exp, std::exp, -700.0 + 1400.0 * u, 0.0);
    check(f.log, std::log, std::exp(-700.0 + 1400.0 * u), 0.0);
    check(f.log, std::log, 0.5 + u, 0.0);
    check(f.sin, std::sin, -200.0 + 400.0 * u, 1e-3);
    check(f.cos, std::cos, -200.0 + 400.0 * u, 1e-3);
    check(f.sin, std::sin, 1e7 * u, 1e-3);
  }
  const auto value = [](lanes::OnSlot g, double x) {
    double got = 0.0;
    g(&got, &x);
    return got;
  };
  EXPECT_EQ(value(f.exp, 1000.0), HUGE_VAL);
  EXPECT_EQ(value(f.exp, -1000.0), 0.0);
  EXPECT_EQ(value(f.log, 0.0), -HUGE_VAL);
  EXPECT_EQ(value(f.log, HUGE_VAL), HUGE_VAL);
  for (const lanes::OnSlot g : {f.exp, f.log, f.sin, f.cos})
    EXPECT_TRUE(std::isnan(value(g, std::nan(""))));
  EXPECT_TRUE(std::isnan(value(f.log, -1.0)));
  EXPECT_TRUE(std::isnan(value(f.sin, HUGE_VAL)));
}

// Every tenth run blows up at t = 1/y0 or leaves the branch in which it was recorded.
TEST(Lanes, RunsThatFailOrBranchAreDoneByTheLibraryAndNoneIsLost) {
  const auto make = [](std::size_t k) {
    MassMatrixProblem p;
    p.name = "branches";
    const double rate = k % 10 == 3 ? 1.0 : -1.0 - 0.01 * static_cast<double>(k);
    p.y0 = Eigen::VectorXd::Ones(1);
    p.index = 0;
    p.rhs = autodiff([rate, level = k % 10 == 7 ? 0.5 : 0.0](const auto&, const auto& y, auto& f) {
      f[0] = rate * y[0] * y[0];
      if (y[0] < level) f[0] = -f[0];
    });
    EnsembleTask task{p, {0.0, 2.0}, {}};
    task.options.max_steps = k == 44 ? 2 : 2000;
    return task;
  };
  const EnsembleResult lanes = solve_ensemble(100, make, {.threads = 2, .engine = Engine::lanes});
  const EnsembleResult loop = solve_ensemble(100, make, {.threads = 1, .engine = Engine::threads});
  EXPECT_EQ(lanes.done, 100u);
  EXPECT_EQ(lanes.failed, loop.failed);
  EXPECT_GE(loop.failed, 10u);
  EXPECT_GE(lanes.handed_over, loop.failed);
  EXPECT_LE(lanes.handed_over, 30u);
  for (std::size_t k = 0; k < 100; ++k) {
    EXPECT_EQ(lanes.runs[k].status, loop.runs[k].status) << k;
    if (loop.runs[k].ok) EXPECT_LE(difference(lanes.runs[k].y, loop.runs[k].y, {}), 10.0) << k;
  }
}

TEST(Lanes, SayWhyTheyDoNotTakeATask) {
  std::string reason;
  EnsembleTask task = oscillator(1.0);
  task.options.method = "radau5";
  EXPECT_FALSE(lanes::make_plan({task}, true, reason));
  EXPECT_THAT(reason, HasSubstr("radau5"));
  task = oscillator(1.0);
  task.options.events.push_back({.name = "zero"});
  EXPECT_FALSE(lanes::make_plan({task}, true, reason));
  EXPECT_THAT(reason, HasSubstr("events"));
  std::get<MassMatrixProblem>(task.problem).rhs = [](double, In y, Out f) { f = -y; };
  task.options.events.clear();
  EXPECT_FALSE(lanes::make_plan({task}, true, reason));
  EXPECT_THAT(reason, HasSubstr("autodiff"));
  const auto make = [&](std::size_t) { return task; };
  EXPECT_THROW(solve_ensemble(2, make, {.engine = Engine::lanes}), InvalidArgument);
  EXPECT_THROW(solve_ensemble(2, make, {.engine = Engine::gpu}), InvalidArgument);
  const EnsembleResult plain = solve_ensemble(70, make, {.threads = 1, .whole = 1000});
  EXPECT_EQ(plain.engine, Engine::threads);
  EXPECT_THAT(plain.reason, HasSubstr("autodiff"));
  EXPECT_EQ(plain.done, 70u);
}

// Every problem of the suite `core` that lanes take, with parameters beside the standard ones.
TEST(Lanes, AgreeWithTheLibraryOnTheCatalogue) {
  std::set<std::string> taken;
  for (const Entry* e : problems::all_problems()) {
    if (!e->in_suite("core") || e->expected_status != "success") continue;
    std::vector<EnsembleTask> tasks;
    for (std::size_t k = 0; k < 3; ++k) {
      Values values;
      for (const Parameter& p : e->parameters)
        if (p.name.size() > 1) values[p.name] = p.value * (1.0 + 1e-4 * static_cast<double>(k));
      try {
        tasks.push_back({e->problem(values), {e->t0, e->t_end}, {}});
        e->apply(tasks.back().options, values);
      } catch (const InvalidArgument&) {  // a parameter that has to be whole
      }
    }
    std::string reason;
    if (tasks.size() < 3 || !lanes::make_plan(tasks, false, reason)) continue;
    const std::vector<EnsembleRun> runs = run_lanes(tasks, {});
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      if (!runs[k].ok) continue;  // the library takes over
      const auto end = [&](double share) {
        Options options = tasks[k].options;
        options.rtol *= share;
        options.atol = Eigen::VectorXd(share * options.atol.values());
        const Eigen::VectorXd y = solve(tasks[k].problem, tasks[k].interval, options).end().y();
        return std::vector<double>(y.data(), y.data() + y.size());
      };
      // No further from the solution than the library's run, and ten tolerances.
      const std::vector<double> exact = end(1e-4);
      const double ours = difference(runs[k].y, exact, tasks[k].options),
                   library = difference(end(1.0), exact, tasks[k].options);
      EXPECT_LE(ours, library + 10.0) << e->name << ", run " << k;
      taken.insert(e->name);
    }
  }
  for (const char* name : {"car-axis", "pendulum", "transistor-amplifier"})
    EXPECT_TRUE(taken.count(name)) << name;
}

}  // namespace
}  // namespace daedalus::ensemble_test
