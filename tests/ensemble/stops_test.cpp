// SPDX-License-Identifier: BSD-3-Clause
// Conditions that end runs, states at times and functionals: lanes and kernels against the
// library's loop, and against closed forms.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include <daedalus/solve.hpp>

#include "ensemble/gpu/stream.hpp"
#include "tests/ensemble/host_device.hpp"

namespace daedalus::gpu_test {
namespace {

using ::testing::HasSubstr;

// y'' = -w^2 y, y(0) = 1: crosses `level` upwards first at (2 pi - acos(level)) / w, downwards at
// acos(level) / w.
constexpr double level = 0.3;
EnsembleTask swing(std::size_t k, Crossing direction) {
  MassMatrixProblem p;
  p.name = "swing";
  p.parameters = {{"w", 1.0 + 0.1 * static_cast<double>(k)}};
  p.y0 = Eigen::Vector2d(1.0, 0.0);
  p.index = 0;
  p.rhs = autodiff([](const auto& x, auto& f) {
    f[0] = x.y[1];
    f[1] = -x.p[0] * x.p[0] * x.y[0];
  });
  EnsembleTask task{p, {0.0, 20.0}, {}};
  task.options.rtol = 1e-8;
  task.options.atol = 1e-8;
  task.options.method = "rodas5p";
  task.stops = {
      {"level", autodiff([](const auto& x, auto& out) { out[0] = x.y[0] - level; }), direction}};
  task.functional =
      autodiff([](const auto& x, auto& out) { out[0] = x.p[0] * x.y[0] + x.y[1] + x.t; });
  return task;
}

std::vector<EnsembleRun> by(Engine engine, std::size_t count,
                            const std::function<EnsembleTask(std::size_t)>& make) {
  return solve_ensemble(count, make, {.threads = 1, .engine = engine}).runs;
}
std::vector<EnsembleRun> on_host_device(std::size_t count,
                                        const std::function<EnsembleTask(std::size_t)>& make) {
  std::string reason;
  const auto engine = host_engine({make(0), make(1)}, reason);
  EXPECT_TRUE(engine) << reason;
  if (!engine) return {};
  const Ran ran = run_batches(*engine, make, count, 7);
  EXPECT_EQ(ran.handed_over, 0u);
  return ran.runs;
}

TEST(Stops, EndRunsAtTheirCrossingsOnEveryEngine) {
  for (const Crossing direction : {Crossing::any, Crossing::rising, Crossing::falling}) {
    const auto make = [&](std::size_t k) { return swing(k, direction); };
    constexpr std::size_t count = 20;
    const std::vector<EnsembleRun> all[] = {by(Engine::threads, count, make),
                                            by(Engine::lanes, count, make),
                                            on_host_device(count, make)};
    for (const std::vector<EnsembleRun>& runs : all) {
      ASSERT_EQ(runs.size(), count);
      for (std::size_t k = 0; k < count; ++k) {
        const EnsembleRun& run = runs[k];
        const double w = 1.0 + 0.1 * static_cast<double>(k), down = std::acos(level) / w;
        const double exact =
            direction == Crossing::rising ? 2.0 * std::acos(-1.0) / w - down : down;
        EXPECT_EQ(run.status, "stopped_by_event") << run.message;
        EXPECT_TRUE(run.ok);
        EXPECT_THAT(run.message, HasSubstr("'level'"));
        // The slope there is w sqrt(1 - level^2): an error of ten tolerances of y as one of t.
        EXPECT_NEAR(run.t, exact, 1e-6) << to_string(run.engine) << ", run " << k;
        ASSERT_EQ(run.y.size(), 2u);
        EXPECT_NEAR(run.y[0], level, 1e-6);
        EXPECT_NEAR(run.functional, w * run.y[0] + run.y[1] + run.t, 1e-12);
      }
    }
    for (const EnsembleRun& run : all[1]) EXPECT_EQ(run.engine, Engine::lanes);
    // One number per run, whatever the neighbours: any width and instruction set.
    for (std::size_t k = 0; k < count; ++k) EXPECT_NEAR(all[1][k].t, all[2][k].t, 1e-12) << k;
  }
}

// On a real device, where there is one.
TEST(Stops, ADeviceAgreesWithLanes) {
  const auto make = [&](std::size_t k) {
    EnsembleTask task = swing(k, Crossing::rising);
    task.times = {0.5, 1.0, 15.0};
    return task;
  };
  if (const std::string missing = gpu::missing(true); !missing.empty()) GTEST_SKIP() << missing;
  const auto device = by(Engine::gpu, 40, make), lanes = by(Engine::lanes, 40, make);
  for (std::size_t k = 0; k < 40; ++k) {
    EXPECT_EQ(device[k].engine, Engine::gpu);
    EXPECT_EQ(device[k].message, lanes[k].message);
    EXPECT_NEAR(device[k].t, lanes[k].t, 1e-7);
    EXPECT_LE(difference(device[k].y, lanes[k].y, make(k).options), 10.0);
    EXPECT_LE(difference(device[k].series, lanes[k].series, Options{}), 10.0);
    EXPECT_EQ(device[k].series.size(), lanes[k].series.size());
  }
}

// The first of several crossings counts, also where one step passes all of them; conditions that
// nothing crosses end nothing, and one that is zero at the start is left.
TEST(Stops, TheFirstOfSeveralEndsTheRun) {
  const auto make = [](std::size_t k) {
    MassMatrixProblem p;
    p.name = "line";
    p.y0 = Eigen::VectorXd::Zero(1);
    p.index = 0;
    const double rate = 1.0 + static_cast<double>(k);
    p.rhs = autodiff([rate](const auto&, const auto&, auto& f) { f[0] = rate; });
    EnsembleTask task{p, {0.0, 100.0}, {}};
    task.options.method = "rodas5p";
    const auto at = [](double value) {
      return autodiff([value](const auto& x, auto& out) { out[0] = x.y[0] - value; });
    };
    task.stops = {{"far", at(5.0)}, {"near", at(4.0)}, {"never", at(-1.0)}, {"start", at(0.0)}};
    return task;
  };
  for (const auto& runs :
       {by(Engine::threads, 5, make), by(Engine::lanes, 5, make), on_host_device(5, make)})
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_THAT(runs[k].message, HasSubstr("'near'"));
      EXPECT_NEAR(runs[k].t, 4.0 / (1.0 + static_cast<double>(k)), 1e-9);
    }
}

// A touch is no crossing, a flat crossing is found to the accuracy of its bracket.
TEST(Stops, FlatCrossingsAreBracketed) {
  const auto make = [](std::size_t k) {
    MassMatrixProblem p;
    p.name = "line";
    p.y0 = Eigen::VectorXd::Zero(1);
    p.index = 0;
    p.rhs = autodiff([](const auto&, const auto&, auto& f) { f[0] = 1.0; });
    EnsembleTask task{p, {0.0, 3.0}, {}};
    task.options.method = "rodas5p";
    task.stops = {{"flat", autodiff([k](const auto& x, auto& out) {
                     const auto d = x.y[0] - 1.37;
                     out[0] = k == 0 ? d * d * d : d * d * d * d * d;
                   })}};
    return task;
  };
  for (const std::size_t power : {0, 1}) {
    const auto one = [&](std::size_t) { return make(power); };
    for (const auto& runs : {by(Engine::lanes, 3, one), on_host_device(3, one)})
      for (const EnsembleRun& run : runs) EXPECT_NEAR(run.t, 1.37, 1e-6) << power;
  }
}

TEST(Stops, MechanismsEndWhereTheyAreAsked) {
  const auto make = [](std::size_t k) {
    MultibodyProblem p;
    p.name = "pendulum";
    p.space = euclidean(2);
    p.constraint_count = 1;
    const double length = 1.0 + 0.05 * static_cast<double>(k);
    p.force = autodiff([](const auto& x, auto& f) {
      f[0] = 0.0 * x.t;
      f[1] = -9.81;
    });
    p.constraint = autodiff([length](const auto&, const auto& q, auto& g) {
      g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - length * length);
    });
    p.q0 = Eigen::Vector2d(length, 0.0);
    p.v0 = Eigen::Vector2d(0.0, 0.0);
    EnsembleTask task{p, {0.0, 5.0}, {}};
    task.options.rtol = 1e-8;
    task.options.atol = 1e-8;
    task.stops = {{"lowest", autodiff([](const auto& x, auto& out) { out[0] = x.q[0]; })}};
    task.times = {0.1, 0.5, 4.0};
    task.functional = autodiff([](const auto& x, auto& out) { out[0] = x.lambda[0]; });
    return task;
  };
  const double quarter = 1.8540746773013719;  // K(1/2) of the elliptic integral
  for (const auto& runs :
       {by(Engine::threads, 6, make), by(Engine::lanes, 6, make), on_host_device(6, make)})
    for (std::size_t k = 0; k < 6; ++k) {
      const double length = 1.0 + 0.05 * static_cast<double>(k);
      EXPECT_NEAR(runs[k].t, quarter * std::sqrt(length / 9.81), 1e-6) << to_string(runs[k].engine);
      EXPECT_EQ(runs[k].functional, runs[k].y[4]);
      // Times behind the end were not reached.
      const std::size_t reached = 2 * (4 + 1);
      EXPECT_EQ(runs[k].series.size(), reached);
    }
}

TEST(Times, StatesAreThoseOfTheLibraryWithinTolerances) {
  const auto make = [](std::size_t k) {
    MassMatrixProblem p = reaction();
    p.parameters[0].value = 0.03 + 0.001 * static_cast<double>(k);
    EnsembleTask task{p, {0.0, 1e4}, tight()};
    task.options.method = "rodas5p";
    task.times = {0.0, 1e-3, 1.0, 1.0 + 1e-9, 40.0, 1e4};
    return task;
  };
  const auto loop = by(Engine::threads, 6, make), lanes = by(Engine::lanes, 6, make),
             device = on_host_device(6, make);
  for (std::size_t k = 0; k < 6; ++k)
    for (const auto* runs : {&lanes, &device}) {
      const EnsembleRun& run = (*runs)[k];
      ASSERT_EQ(run.series.size(), 6u * 3u);
      EXPECT_LE(difference(run.y, loop[k].y, tight()), 10.0);
      for (std::size_t j = 0; j < 6; ++j) {
        const auto row = [&](const std::vector<double>& s) {
          return std::vector<double>(s.begin() + 3 * static_cast<long>(j),
                                     s.begin() + 3 * static_cast<long>(j + 1));
        };
        EXPECT_LE(difference(row(run.series), row(loop[k].series), tight()), 10.0) << j;
      }
      EXPECT_EQ(std::vector<double>(run.series.end() - 3, run.series.end()), run.y);
    }
  EnsembleTask wrong = make(0);
  wrong.times = {2.0, 1.0};
  const EnsembleRun refused = by(Engine::threads, 1, [&](std::size_t) { return wrong; })[0];
  EXPECT_EQ(refused.status, "invalid_argument");
  EXPECT_THROW(by(Engine::lanes, 1, [&](std::size_t) { return wrong; }), InvalidArgument);
}

TEST(Times, AStreamGivesSeriesEndsAndFunctionals) {
  StreamSettings settings{.parameters = {"k1"}, .threads = 2, .batch = 5};
  settings.times = {1.0, 10.0, 90.0};
  settings.stops = {
      {"used up", autodiff([](const auto& x, auto& out) { out[0] = x.y[0] - 0.75; })}};
  settings.functional = autodiff([](const auto& x, auto& out) { out[0] = x.p[0] * x.y[0]; });
  constexpr std::size_t count = 13;
  const auto k1 = [](std::size_t i) { return 0.02 + 0.01 * static_cast<double>(i); };
  const auto fill = [&](const BatchInput& in) {
    for (std::size_t i = 0; i < in.count; ++i) in.parameter(0)[i] = k1(in.first + i);
  };
  struct Row {
    double ended, functional, end[3], at[3][3];
  };
  const auto collect = [&](auto& stream) {
    std::vector<Row> rows(count);
    const StreamReport report = stream.run(count, fill, [&](const BatchOutput& out) {
      for (std::size_t i = 0; i < out.count; ++i) {
        Row& row = rows[out.first + i];
        row.ended = out.ended[i];
        row.functional = out.functional[i];
        for (std::size_t v = 0; v < 3; ++v) {
          row.end[v] = out.value(v)[i];
          for (std::size_t j = 0; j < 3; ++j) row.at[j][v] = out.value_at(j, v)[i];
        }
      }
    });
    EXPECT_EQ(report.done, count);
    EXPECT_EQ(report.failed, 0u);
    return rows;
  };
  const StreamModel model(reaction(), {0.0, 100.0}, tight(), settings);
  std::string reason;
  const auto engine = host_engine(model.probes(), reason, model.varied());
  ASSERT_TRUE(engine) << reason;
  gpu::Stream device(model, engine);
  settings.engine = Engine::lanes;
  EnsembleStream lanes(reaction(), {0.0, 100.0}, tight(), settings);
  settings.engine = Engine::threads;
  EnsembleStream loop(reaction(), {0.0, 100.0}, tight(), settings);
  const auto a = collect(device), b = collect(lanes), c = collect(loop);
  std::size_t ended_early = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (const auto* rows : {&a, &b}) {
      const Row &row = (*rows)[i], &exact = c[i];
      ended_early += row.ended < 100.0 ? 1 : 0;
      EXPECT_NEAR(row.ended, exact.ended, 1e-3) << i;
      EXPECT_NEAR(row.functional, k1(i) * row.end[0], 1e-15);
      EXPECT_NEAR(row.end[0], exact.end[0], 1e-5);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_EQ(std::isnan(row.at[j][0]), settings.times[j] > row.ended) << i << ' ' << j;
        if (!std::isnan(row.at[j][0])) EXPECT_NEAR(row.at[j][0], exact.at[j][0], 1e-5);
      }
    }
  EXPECT_GE(ended_early, count);  // of both engines
}

}  // namespace
}  // namespace daedalus::gpu_test
