// SPDX-License-Identifier: BSD-3-Clause
// Streams of columns, on a host that stands in for a GPU, in lanes and on threads; statistics that
// keep no runs.
#include <numeric>

#include <daedalus/ensemble_stream.hpp>
#include <daedalus/ensemble_study.hpp>
#include <daedalus/solve.hpp>

#include "ensemble/gpu/stream.hpp"
#include "tests/ensemble/host_device.hpp"

namespace daedalus::gpu_test {
namespace {

// A stream's end values, by run and variable, NaN for what failed.
struct Streamed {
  std::vector<std::vector<double>> y;
  StreamReport report;
};
Streamed stream_on_host(const StreamSettings& settings, std::size_t count, double bad = 0.0) {
  const StreamModel model(reaction(), {0.0, 100.0}, tight(), settings);
  std::string reason;
  Streamed s;
  const auto engine = host_engine(model.probes(), reason, model.varied());
  EXPECT_TRUE(engine) << reason;
  if (!engine) return s;
  gpu::Stream stream(model, engine);
  s.y.resize(count);
  std::size_t expected = 0;
  s.report = stream.run(
      count,
      [&](const BatchInput& in) {
        for (std::size_t i = 0; i < in.count; ++i) {
          in.parameter(0)[i] = 3e7 * (0.5 + uniform(in.first + i));
          if (bad != 0.0 && (in.first + i) % 9 == 4) in.parameter(0)[i] = bad;
          if (settings.starts)
            for (std::size_t k = 0; k < 3; ++k) in.start(k)[i] = k == 0 ? 1.0 : 0.0;
        }
      },
      [&](const BatchOutput& out) {
        EXPECT_EQ(out.first, expected);
        expected = out.first + out.count;
        for (std::size_t i = 0; i < out.count; ++i)
          for (std::size_t k = 0; k < 3; ++k) s.y[out.first + i].push_back(out.value(k)[i]);
      });
  EXPECT_EQ(expected, count);
  return s;
}

TEST(Stream, StreamsAgreeWithTheLibraryInAnyBatchesAndThreads) {
  const Streamed a = stream_on_host({.parameters = {"k2"}, .threads = 1, .batch = 100}, 64),
                 b = stream_on_host(
                     {.parameters = {"k2"}, .starts = true, .threads = 5, .batch = 7}, 64);
  ASSERT_EQ(a.y.size(), 64u);
  for (std::size_t k = 0; k < 64; ++k) {
    EXPECT_EQ(a.y[k], b.y[k]) << k;
    MassMatrixProblem p = reaction();
    p.parameters[1].value = 3e7 * (0.5 + uniform(k));
    const Eigen::VectorXd y = solve(p, {0.0, 100.0}, tight()).end().y();
    EXPECT_LE(difference(a.y[k], {y[0], y[1], y[2]}, tight()), 10.0) << k;
  }
  EXPECT_EQ(a.report.done, 64u);
  EXPECT_EQ(a.report.handed_over, 0u);
}

// The library calls Problem::start for the parameters of each run: so do lanes and kernels.
TEST(Stream, StartValuesMayBeAFunctionOfParameters) {
  const auto make = [](std::size_t k) {
    MassMatrixProblem p = reaction();
    p.parameters[0].value = 0.04 + 0.01 * static_cast<double>(k);
    p.start = autodiff([](const auto& x, auto& out) {
      out[0] = 1.0 - 10.0 * x.p[0];
      out[1] = 0.0;
      out[2] = 10.0 * x.p[0];
    });
    return EnsembleTask{p, {0.0, 10.0}, tight()};
  };
  std::string reason;
  const auto engine = host_engine({make(0), make(1)}, reason);
  ASSERT_TRUE(engine) << reason;
  const Ran ran = run_batches(*engine, make, 3, 3);
  const StreamModel model(make(0).problem, {0.0, 10.0}, tight(),
                          {.parameters = {"k1"}, .threads = 1});
  gpu::Stream stream(model, host_engine(model.probes(), reason, model.varied()));
  std::vector<double> streamed;
  stream.run(
      3,
      [&](const BatchInput& in) {
        for (std::size_t i = 0; i < in.count; ++i)
          in.parameter(0)[i] = 0.04 + 0.01 * static_cast<double>(in.first + i);
      },
      [&](const BatchOutput& out) { streamed.assign(out.value(2), out.value(2) + out.count); });
  for (std::size_t k = 0; k < 3; ++k) {
    const EnsembleTask task = make(k);
    const Eigen::VectorXd y = solve(task.problem, task.interval, task.options).end().y();
    EXPECT_LE(difference(ran.runs[k].y, {y[0], y[1], y[2]}, task.options), 10.0) << k;
    EXPECT_NEAR(streamed[k], y[2], 1e-5) << k;
  }
}

TEST(Stream, NoRunOfAStreamIsLostWhereParametersAreNotNumbers) {
  const Streamed s =
      stream_on_host({.parameters = {"k2"}, .threads = 3, .batch = 10}, 45, std::nan(""));
  EXPECT_EQ(s.report.done, 45u);
  EXPECT_EQ(s.report.failed, 5u);
  EXPECT_EQ(s.report.handed_over, 5u);
  for (std::size_t k = 0; k < 45; ++k) EXPECT_EQ(std::isnan(s.y[k][0]), k % 9 == 4) << k;
}

TEST(Stream, StreamsOfLanesAndThreadsGiveTheSameStatistics) {
  std::vector<double> means;
  for (const Engine engine : {Engine::lanes, Engine::threads}) {
    EnsembleStream stream(reaction(), {0.0, 100.0}, tight(),
                          {.engine = engine, .parameters = {"k1"}, .threads = 2, .batch = 40});
    EXPECT_EQ(stream.engine(), engine);
    EXPECT_FALSE(stream.reason().empty());
    StreamStatistics statistics(stream.variables());
    const StreamReport report = stream.run(
        100,
        [](const BatchInput& in) {
          for (std::size_t i = 0; i < in.count; ++i)
            in.parameter(0)[i] =
                in.first + i == 50 ? std::nan("") : 0.03 + 0.02 * uniform(in.first + i);
        },
        [&](const BatchOutput& out) { statistics.add(out); });
    EXPECT_EQ(report.done, 100u);
    EXPECT_EQ(report.failed, 1u);
    EXPECT_EQ(statistics.failed(), 1u);
    EXPECT_EQ(statistics.runs(), 100u);
    means.push_back(statistics.mean(0));
  }
  EXPECT_NEAR(means[0], means[1], 1e-6);
  EXPECT_THROW(EnsembleStream(reaction(), {0.0, 1.0}, tight(), {.parameters = {"k9"}}),
               InvalidArgument);
}

TEST(Stream, QuantilesOfASketchAreRightToAThousandth) {
  QuantileSketch sketch;
  EXPECT_TRUE(std::isnan(sketch.quantile(0.5)));
  std::vector<double> all;
  for (std::uint64_t k = 0; k < 300000; ++k) {
    all.push_back(std::exp(10.0 * uniform(k) - 5.0));
    sketch.add(all.back());
    sketch.add(std::nan(""));
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(sketch.count(), all.size());
  for (const double p : {0.0, 0.001, 0.05, 0.5, 0.9, 0.99, 1.0}) {
    const auto place = std::lower_bound(all.begin(), all.end(), sketch.quantile(p)) - all.begin();
    EXPECT_NEAR(static_cast<double>(place) / static_cast<double>(all.size()), p, 1e-3) << p;
  }
  // Few numbers are kept: as quantiles() has them.
  QuantileSketch small;
  for (int k = 10; k-- > 0;) small.add(k);
  const double half[] = {0.5, 0.25};
  std::vector<double> ten(10);
  std::iota(ten.begin(), ten.end(), 0.0);
  const std::vector<double> exact = quantiles(ten, half);
  EXPECT_DOUBLE_EQ(small.quantile(0.5), exact[0]);
  EXPECT_DOUBLE_EQ(small.quantile(0.25), exact[1]);
}

}  // namespace
}  // namespace daedalus::gpu_test
