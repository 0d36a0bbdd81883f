// SPDX-License-Identifier: BSD-3-Clause
// 49: parameters that are not known exactly: samples, quantile bands, and a grid that is refined
// where results change quickly.
//
// Model 1  y' = -rate y, y(0) = 1, rate lognormal with median 1.
// Known    y falls with the rate: its quantiles are exp(-q t), q the opposite quantile of the rate.
// Model 2  y' = y (1 - y), y(0) = a; of a from 1e-6 to 1, y(10) turns from 0 to 1 near a = 5e-5.
// Known    y(t) = 1 / (1 + (1/a - 1) exp(-t)).
//
// Builds on 32 (ensembles). New: ParameterPlan, sample, ValueLaw, quantile_bands, GridRefinement.
#include <cmath>
#include <iostream>

#include <daedalus/daedalus.hpp>
#include <daedalus/ensemble_study.hpp>

namespace {

const daedalus::Options accurate{.rtol = 1e-8, .atol = 1e-10};

double bands() {
  // [sample]
  const daedalus::ValueLaw law = daedalus::value_law("lognormal(1, 0.2)");
  const std::vector<daedalus::UncertainParameter> uncertain{{"rate", law}};
  const daedalus::SampleSettings how{.samples = 1024, .sampling = daedalus::Sampling::sobol};
  const daedalus::ParameterPlan plan = daedalus::sample(uncertain, how);
  const std::vector<double> times = daedalus::equidistant(0.0, 2.0, 5);
  const auto task = [&](std::size_t run) -> daedalus::EnsembleTask {
    const daedalus::MassMatrixProblem decay{
        .name = "decay",
        .rhs = daedalus::autodiff([](const auto& x, auto& f) { f[0] = -x.p[0] * x.y[0]; }),
        .y0 = Eigen::VectorXd::Ones(1),
        .parameters = plan.parameters(run)};
    return {decay, {0.0, 2.0}, accurate, times};
  };
  const daedalus::EnsembleResult result = daedalus::solve_ensemble(plan.size(), task);
  const daedalus::EnsembleBands bands =
      daedalus::quantile_bands(result.runs, times, 1, {0.05, 0.5, 0.95});
  // [/sample]
  double worst = result.failed > 0 ? 1.0 : 0.0;
  for (std::size_t i = 0; i < times.size(); ++i)
    for (std::size_t k = 0; k < bands.probabilities.size(); ++k) {
      const double exact = std::exp(-law.quantile(1.0 - bands.probabilities[k]) * times[i]);
      worst = std::max(worst, std::abs(bands.value(i, 0, k) - exact));
    }
  for (const auto& [status, count] : daedalus::status_counts(result.runs))
    std::cout << count << " runs: " << status << '\n';
  std::cout << "largest error of a quantile " << worst << '\n';
  return worst;
}

double refined() {
  // [refine]
  const daedalus::ParameterGrid grid{{"a", daedalus::logarithmic(1e-6, 1.0, 7)}};
  const auto task = [](double a) -> daedalus::EnsembleTask {
    const daedalus::MassMatrixProblem growth{
        .name = "growth",
        .rhs = daedalus::autodiff([](const auto& x, auto& f) { f[0] = x.y[0] * (1.0 - x.y[0]); }),
        .y0 = Eigen::VectorXd::Constant(1, a)};
    return {growth, {0.0, 10.0}, accurate};
  };
  daedalus::ParameterPlan plan(grid);
  const daedalus::RefinementSettings settings{.change = 0.1, .max_runs = 100};
  daedalus::GridRefinement refinement(grid, settings);
  std::vector<daedalus::EnsembleRun> runs;
  do {
    daedalus::EnsembleSettings known;
    known.known = daedalus::padded(runs, plan);
    runs = daedalus::solve_ensemble(
               plan.size(), [&](std::size_t k) { return task(plan.point(k)[0]); }, known)
               .runs;
  } while (refinement.refine(plan, runs) > 0);
  // [/refine]
  double worst = 0.0;
  for (std::size_t k = 0; k < plan.size(); ++k) {
    const double a = plan.point(k)[0];
    worst = std::max(worst, std::abs(runs[k].y[0] - 1.0 / (1.0 + (1.0 / a - 1.0) * std::exp(-10))));
  }
  std::cout << grid.size() << " points became " << plan.size() << ", largest error " << worst
            << '\n';
  return plan.size() > grid.size() && !refinement.exhausted() ? worst : 1.0;
}

}  // namespace

int main() { return bands() < 2e-3 && refined() < 1e-5 ? 0 : 1; }
