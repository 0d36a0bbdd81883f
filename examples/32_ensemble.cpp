// SPDX-License-Identifier: BSD-3-Clause
// 32: many runs at once: a sweep over parameters, and the period of a pendulum against its
// amplitude.
//
// Model 1  y' = -rate y + inflow, y(0) = 1, for all combinations of rate and inflow.
// Model 2  the pendulum of 01, released at rest at the angle a from the lowest point.
// Known    its first passage through the lowest point is a quarter of T = 4 sqrt(l/g) K(sin(a/2)),
// K
//          the complete elliptic integral of the first kind.
//
// Model 2 has start values that differ from run to run, so that its runs are made one by one, on
// the threads. Runs share nothing, and their numbers do not depend on the number of threads.
//
// Builds on 01 (pendulum, events). New: ParameterGrid, solve_ensemble, EnsembleTask, Engine,
// EnsembleStop, EnsembleStream, StreamStatistics.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/ensemble.hpp>
#include <daedalus/ensemble_stream.hpp>

using daedalus::In, daedalus::MatrixOut, daedalus::Out;

namespace {

double sweep() {
  // [grid]
  const daedalus::MassMatrixProblem tank{
      .name = "tank",
      .rhs = daedalus::autodiff([](const auto& x, auto& f) { f[0] = x.p[1] - x.p[0] * x.y[0]; }),
      .y0 = Eigen::VectorXd::Ones(1),
      .parameters = {{"rate", 1.0}, {"inflow", 0.0}}};
  const daedalus::ParameterGrid grid{{"rate", daedalus::logarithmic(0.1, 10.0, 5)},
                                     {"inflow", {0.0, 1.0, 2.0}}};
  daedalus::EnsembleSettings settings{.threads = 2};
  settings.finished = [](std::size_t run, const daedalus::EnsembleRun& r) {
    if (!r.ok) std::cerr << "run " << run << ": " << r.message << '\n';
  };
  const daedalus::EnsembleResult result =
      daedalus::solve_ensemble(tank, {0.0, 2.0}, {.rtol = 1e-8, .atol = 1e-8}, grid, settings);
  // [/grid]
  double worst = result.failed > 0 ? 1.0 : 0.0;
  for (std::size_t k = 0; k < grid.size() && result.failed == 0; ++k) {
    const double rate = grid.point(k)[0], rest = grid.point(k)[1] / rate;
    const double exact = rest + (1.0 - rest) * std::exp(-2.0 * rate);
    worst = std::max(worst, std::abs(result.runs[k].y[0] - exact));
  }
  std::cout << grid.size() << " tanks, largest error " << worst << '\n';
  return worst;
}

// The same equations for thousands of rates: small systems that are formulas run side by side in
// the lanes of vector instructions.
double lanes() {
  // [lanes]
  const auto task = [](std::size_t k) -> daedalus::EnsembleTask {
    const double rate = 0.1 + 0.001 * static_cast<double>(k);  // captured: that is enough
    const daedalus::MassMatrixProblem tank{
        .name = "tank",
        .rhs = daedalus::autodiff(
            [rate](const auto&, const auto& y, auto& f) { f[0] = 1.0 - rate * y[0] * y[0]; }),
        .y0 = Eigen::VectorXd::Zero(1),
        .index = 0};
    return {tank, {0.0, 2.0}, {.rtol = 1e-8, .atol = 1e-8}};
  };
  const daedalus::EnsembleResult result =
      daedalus::solve_ensemble(1000, task, {.engine = daedalus::Engine::lanes});
  std::cout << to_string(result.engine) << ": " << result.reason << ", " << result.handed_over
            << " runs left to the library's loop\n";
  // [/lanes]
  double worst = result.failed > 0 ? 1.0 : 0.0;
  for (std::size_t k = 0; k < result.runs.size() && result.failed == 0; ++k) {
    const double root = std::sqrt(0.1 + 0.001 * static_cast<double>(k));
    worst = std::max(worst, std::abs(result.runs[k].y[0] - std::tanh(2.0 * root) / root));
  }
  std::cout << "largest error " << worst << '\n';
  return worst;
}

// When a mass on a spring first passes its rest position, what it was doing before, and its energy.
double stops() {
  // [stops]
  const auto task = [](std::size_t k) -> daedalus::EnsembleTask {
    const double w = 1.0 + 0.001 * static_cast<double>(k);
    const daedalus::MassMatrixProblem spring{
        .name = "spring",
        .rhs = daedalus::autodiff([w](const auto&, const auto& y, auto& f) {
          f[0] = y[1];
          f[1] = -w * w * y[0];
        }),
        .y0 = Eigen::Vector2d(1.0, 0.0),
        .index = 0};
    daedalus::EnsembleTask made{spring, {0.0, 20.0}, {.rtol = 1e-8, .atol = 1e-8}};
    made.times = {0.25, 0.5};
    made.stops = {{.name = "rest position",
                   .when = daedalus::autodiff([](const auto& x, auto& g) { g[0] = x.y[0]; })}};
    made.functional = daedalus::autodiff([w](const auto& x, auto& energy) {
      energy[0] = 0.5 * (x.y[1] * x.y[1] + w * w * x.y[0] * x.y[0]);
    });
    return made;
  };
  const daedalus::EnsembleResult result =
      daedalus::solve_ensemble(1000, task, {.engine = daedalus::Engine::lanes});
  const daedalus::EnsembleRun& last = result.runs.back();
  std::cout << last.message << " There were " << last.series.size() / 2 << " states before; energy "
            << last.functional << '\n';
  // [/stops]
  double worst = result.failed > 0 ? 1.0 : 0.0;
  for (std::size_t k = 0; k < result.runs.size() && result.failed == 0; ++k) {
    const double w = 1.0 + 0.001 * static_cast<double>(k);
    const daedalus::EnsembleRun& run = result.runs[k];
    for (const double error : {run.t - std::acos(0.0) / w, run.functional - 0.5 * w * w,
                               run.series[2] - std::cos(0.5 * w)})
      worst = std::max(worst, std::abs(error));
  }
  std::cout << "largest error " << worst << '\n';
  return worst;
}

// Columns of numbers in batches: nothing is kept but what they say together.
double streams() {
  // [stream]
  const daedalus::MassMatrixProblem tank{
      .name = "tank",
      .rhs = daedalus::autodiff([](const auto& x, auto& f) { f[0] = -x.p[0] * x.y[0]; }),
      .y0 = Eigen::VectorXd::Ones(1),
      .index = 0,
      .parameters = {{"rate", 1.0}}};
  const daedalus::StreamSettings settings{.parameters = {"rate"}};
  daedalus::EnsembleStream stream(tank, {0.0, 2.0}, {.rtol = 1e-8, .atol = 1e-8}, settings);
  daedalus::StreamStatistics statistics(stream.variables());
  daedalus::QuantileSketch squares;  // of a number of one's own
  const std::size_t runs = 20000;
  const daedalus::StreamReport report = stream.run(
      runs,
      [&](const daedalus::BatchInput& in) {  // rates between 0 and 1
        for (std::size_t i = 0; i < in.count; ++i)
          in.parameter(0)[i] = (static_cast<double>(in.first + i) + 0.5) / runs;
      },
      [&](const daedalus::BatchOutput& out) {
        statistics.add(out);
        for (std::size_t i = 0; i < out.count; ++i) squares.add(out.value(0)[i] * out.value(0)[i]);
        for (const daedalus::LibraryRun& one : out.by_library)
          if (!one.result.ok) std::cout << one.run << ": " << one.result.message << '\n';
      });
  std::cout << to_string(stream.engine()) << ": mean " << statistics.mean(0) << ", median "
            << statistics.quantile(0, 0.5) << ", of squares " << squares.quantile(0.5) << ", "
            << report.failed << " of " << report.done << " failed\n";
  // [/stream]
  const double exact = 0.5 * (1.0 - std::exp(-2.0));
  return statistics.failed() > 0 ? 1.0 : std::abs(statistics.mean(0) - exact);
}

double periods() {
  // [tasks]
  const double l = 1.0, g = 9.81;
  const std::vector<double> amplitudes = daedalus::equidistant(0.25, 2.75, 6);
  const daedalus::Event lowest{.name = "lowest point",
                               .when = [](const daedalus::StateView& s) { return s.q()[0]; },
                               .action = daedalus::EventAction::stop};
  const auto task = [&](std::size_t k) -> daedalus::EnsembleTask {
    const double a = amplitudes[k];
    const daedalus::MultibodyProblem pendulum{
        .name = "pendulum",
        .space = daedalus::euclidean(2),
        .constraint_count = 1,
        .mass = [](double, In, MatrixOut M) { M = Eigen::Matrix2d::Identity(); },
        .force = [=](double, In, In, Out f) { f << 0.0, -g; },
        .constraint = daedalus::autodiff(
            [=](auto, const auto& q, auto& c) { c[0] = 0.5 * (q.squaredNorm() - l * l); }),
        .q0 = l * Eigen::Vector2d(std::sin(a), -std::cos(a)),
        .v0 = Eigen::Vector2d::Zero()};
    return {pendulum, {0.0, 10.0}, {.rtol = 1e-10, .atol = 1e-10, .events = {lowest}}};
  };
  const daedalus::EnsembleResult result = daedalus::solve_ensemble(amplitudes.size(), task);
  // [/tasks]

  double worst = 0.0;
  for (std::size_t k = 0; k < amplitudes.size(); ++k) {
    const daedalus::EnsembleRun& run = result.runs[k];
    if (!run.ok) {
      std::cerr << "amplitude " << amplitudes[k] << ": " << run.message << '\n';
      return 1.0;
    }
    const double exact = 4.0 * std::sqrt(l / g) * std::comp_ellint_1(std::sin(0.5 * amplitudes[k]));
    worst = std::max(worst, std::abs(4.0 * run.t / exact - 1.0));
    std::cout << "amplitude " << amplitudes[k] << ": period " << 4.0 * run.t << ", exact " << exact
              << '\n';
  }
  std::cout << "largest relative error " << worst << '\n';
  return worst;
}

}  // namespace

int main() {
  return sweep() < 1e-6 && lanes() < 1e-6 && stops() < 1e-6 && streams() < 1e-6 && periods() < 1e-7
             ? 0
             : 1;
}
