// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/curves.hpp"

#include <cmath>

#include "estimation/statistics.hpp"

namespace daedalus::estimation {
namespace {

// From the start to the last data, equal steps; equal quotients where the data are spread so.
std::vector<double> curve_times(const ExperimentTask& e, double t0, int points) {
  const double first = e.times.front() > t0 || e.times.size() < 2 ? e.times.front() : e.times[1];
  const double last = e.times.back();
  constexpr double decades = 1e3;  // as many times apart: on a logarithmic axis
  const bool by_quotients = t0 >= 0.0 && first > 0.0 && last / first > decades;
  std::vector<double> t;
  for (int k = 0; k < points; ++k) {
    const double share = static_cast<double>(k) / (points - 1);
    const double at =
        by_quotients ? first * std::pow(last / first, share) : t0 + (last - t0) * share;
    t.push_back(k + 1 == points ? last : std::min(at, last));
  }
  return t;
}

void add_curves(const FitTask& task, std::size_t e, const Eigen::VectorXd& u,
                const Eigen::MatrixXd& covariance, double quantile, FittedExperiment& fitted) {
  constexpr int least = 2;  // points of a curve
  const std::vector<double> at =
      curve_times(task.experiments[e], task.fit.model.t0, std::max(least, task.fit.curve_points));
  const RunColumns run = task.run(e, u, at, true, Accuracy::full);
  if (!run.ok) return;
  for (std::size_t o = 0; o < fitted.outputs.size(); ++o) {
    FittedOutput& output = fitted.outputs[o];
    output.curve_t = at;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      output.curve.push_back(run.values(row, static_cast<Eigen::Index>(o)));
      const Eigen::RowVectorXd slope = run.columns[o].row(row);
      output.band.push_back(quantile *
                            std::sqrt(std::max(0.0, (slope * covariance * slope.transpose())(0))));
    }
  }
}

}  // namespace

void describe_experiments(const FitTask& task, const Eigen::VectorXd& u, const Evaluation& at,
                          const Eigen::MatrixXd& covariance, FitResult& result) {
  const double quantile = student_quantile(task.fit.confidence, result.degrees_of_freedom);
  for (std::size_t e = 0; e < task.experiments.size(); ++e) {
    const ExperimentTask& made = task.experiments[e];
    FittedExperiment fitted{.name = made.name,
                            .file = task.fit.experiments[e].file,
                            .parameters = task.fit.model.all_values(task.parameters(e, u))};
    for (const OutputSource& o : made.outputs) fitted.outputs.push_back({.name = o.name});
    double sum = 0.0;
    for (std::size_t k = 0; k < made.data.size(); ++k) {
      const Datum& d = made.data[k];
      const double r = at.residuals[static_cast<Eigen::Index>(made.first + k)];
      FittedOutput& o = fitted.outputs[d.output];
      o.t.push_back(made.times[d.time]);
      o.value.push_back(d.value);
      o.sigma.push_back(d.sigma);
      o.model.push_back(d.value + r * d.sigma);
      o.residual.push_back(r);
      sum += r * r;
    }
    fitted.rms = made.data.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(made.data.size()));
    if (task.fit.curve_points > 0) add_curves(task, e, u, covariance, quantile, fitted);
    result.experiments.push_back(std::move(fitted));
  }
}

}  // namespace daedalus::estimation
