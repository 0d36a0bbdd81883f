// SPDX-License-Identifier: BSD-3-Clause
#include "estimation/fit_task.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <daedalus/trajectory_file.hpp>

#include "ensemble/workers.hpp"
#include "estimation/model_values.hpp"

namespace daedalus::estimation {
namespace {

std::string place_in(const Experiment& e, std::size_t row) {
  const std::string name = e.file.empty() ? e.name : e.file;
  return row < e.line.size() ? fmt::format("'{}', line {}", name, e.line[row])
                             : fmt::format("experiment '{}', time {}", name, row + 1);
}

void check_sizes(const Experiment& e) {
  if (e.outputs.empty() || e.t.empty())
    throw InvalidArgument(fmt::format("experiment '{}' has no data", e.name));
  for (const Measurement& m : e.outputs) {
    if (m.value.size() != e.t.size() || (m.sigma.size() > 1 && m.sigma.size() != e.t.size()))
      throw InvalidArgument(
          fmt::format("experiment '{}' has {} times, and '{}' has {} values and {} sigmas", e.name,
                      e.t.size(), m.name, m.value.size(), m.sigma.size()));
    if (!(m.weight > 0.0))
      throw InvalidArgument(fmt::format("the weight of '{}' is {}", m.name, m.weight));
  }
}

void check_times(const Experiment& e, double t0) {
  for (std::size_t k = 0; k < e.t.size(); ++k)
    if (!std::isfinite(e.t[k]) || e.t[k] < t0)
      throw FileError(fmt::format("{}: the time {} lies before the start {} of the model",
                                  place_in(e, k), e.t[k], t0));
}

// Columns of what does not depend on a quantity are noise, which a search would follow.
void drop_noise(const std::string& derivative, Eigen::MatrixXd& columns) {
  // Of the largest column: errors of tight runs over the increment, and round-off of exact ones.
  constexpr double of_differences = 1e-6, of_columns = 1e-10;
  const double noise = derivative == "differences" ? of_differences : of_columns;
  const double largest = columns.colwise().norm().maxCoeff();
  for (Eigen::Index i = 0; i < columns.cols(); ++i)
    if (columns.col(i).norm() < noise * largest) columns.col(i).setZero();
}

void check_parameters(const Entry& model, const Values& values, const std::string& where) {
  std::vector<std::string> names;
  for (const Parameter& p : model.parameters) names.push_back(p.name);
  for (const auto& [name, value] : values)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InvalidArgument(where + ": " + no_such("parameter", name, names));
}

}  // namespace

FitTask::FitTask(const Fit& given) : fit(given) {
  if (!fit.model.build) throw InvalidArgument("model: an entry that builds a problem is needed");
  if (fit.experiments.empty()) throw InvalidArgument("experiments: there are no data");
  if (fit.starts < 1) throw InvalidArgument(fmt::format("starts is {}; one is needed", fit.starts));
  if (!(fit.loss_scale > 0.0))
    throw InvalidArgument(fmt::format("loss_scale is {}; it must be positive", fit.loss_scale));
  if (!(fit.confidence > 0.0 && fit.confidence < 1.0))
    throw InvalidArgument(fmt::format("confidence is {}; it lies between 0 and 1", fit.confidence));
  check_parameters(fit.model, fit.set, "set");
  const Problem problem = fit.model.problem(fit.set);
  resolve_free(problem);
  for (const Experiment& e : fit.experiments) resolve(e, problem);
  if (points < free.size())
    throw InvalidArgument(
        fmt::format("{} values cannot determine {} free quantities", points, free.size()));
  trial_seconds_ = fit.trial_seconds;
}

void FitTask::add_output(const Measurement& m, const Problem& problem, ExperimentTask& task) {
  using Kind = OutputSource::Kind;
  std::vector<std::string> known;
  const auto look = [&](Kind kind, const std::vector<std::string>& names) {
    const auto found = std::find(names.begin(), names.end(), m.name);
    known.insert(known.end(), names.begin(), names.end());
    if (found == names.end()) return false;
    task.outputs.push_back({kind, static_cast<std::size_t>(found - names.begin()), m.name});
    return true;
  };
  std::vector<std::string> callables, outputs;
  for (const FitOutput& o : fit.outputs) callables.push_back(o.name);
  for (const ModelOutput& o : fit.model.outputs) outputs.push_back(o.name);
  if (!look(Kind::callable, callables) && !look(Kind::variable, variable_names(problem)) &&
      !look(Kind::model_output, outputs) && !look(Kind::invariant, invariant_names(problem)))
    throw InvalidArgument((m.place.empty() ? "data" : m.place) + ": " +
                          no_such("variable or output", m.name, known));
  const auto unit = fit.model.units.find(m.name);
  if (!m.unit.empty() && unit != fit.model.units.end() && unit->second != m.unit)
    throw InvalidArgument(fmt::format(
        "{}: '{}' is measured in {} and the model has it in {}; give a scale, the factor from one "
        "to the other",
        m.place, m.name, m.unit, unit->second));
}

void FitTask::resolve(const Experiment& e, const Problem& problem) {
  check_sizes(e);
  check_times(e, fit.model.t0);
  check_parameters(fit.model, e.set, e.file.empty() ? e.name : e.file);
  ExperimentTask task{.name = e.name, .values = fit.set, .first = points};
  for (const auto& [name, value] : e.set) task.values[name] = value;
  task.times = e.t;
  std::sort(task.times.begin(), task.times.end());
  task.times.erase(std::unique(task.times.begin(), task.times.end()), task.times.end());
  for (std::size_t j = 0; j < e.outputs.size(); ++j) {
    const Measurement& m = e.outputs[j];
    add_output(m, problem, task);
    for (std::size_t k = 0; k < e.t.size(); ++k) {
      if (std::isnan(m.value[k])) continue;
      const auto time = std::lower_bound(task.times.begin(), task.times.end(), e.t[k]);
      const double sigma = m.sigma.empty() ? 1.0 : m.sigma[m.sigma.size() == 1 ? 0 : k];
      if (!(sigma > 0.0) || !std::isfinite(sigma))
        throw InvalidArgument(fmt::format("{}: the sigma of '{}' is {}; it must be positive",
                                          place_in(e, k), m.name, sigma));
      all_sigmas = all_sigmas && !m.sigma.empty();
      task.data.push_back(
          {static_cast<std::size_t>(time - task.times.begin()), j, m.value[k], sigma / m.weight});
    }
  }
  points += task.data.size();
  experiments.push_back(std::move(task));
}

Values FitTask::parameters(std::size_t e, const Eigen::VectorXd& u) const {
  Values values = experiments[e].values;
  for (std::size_t i = 0; i < free.size(); ++i)
    if (!free[i].start_value && belongs(free[i], e))
      values[free[i].target] = free[i].to_p(u[static_cast<Eigen::Index>(i)]);
  return values;
}

Evaluation FitTask::evaluate(const Eigen::VectorXd& u, bool with_columns, Accuracy accuracy,
                             std::size_t threads) const {
  std::vector<RunColumns> runs(experiments.size());
  parallel_for(runs.size(), threads, [&](std::size_t e) {
    runs[e] = run(e, u, experiments[e].times, with_columns, accuracy);
  });
  Evaluation result{.ok = true, .with_columns = with_columns};
  result.residuals.resize(static_cast<Eigen::Index>(points));
  if (with_columns) result.jacobian.setZero(static_cast<Eigen::Index>(points), u.size());
  for (std::size_t e = 0; e < runs.size(); ++e) {
    const RunColumns& r = runs[e];
    result.runs += r.runs;
    result.failed += r.failed;
    if (!r.ok) {
      if (result.ok)
        result.message = experiments.size() > 1
                             ? fmt::format("experiment '{}': {}", experiments[e].name, r.message)
                             : r.message;
      result.ok = false;
    }
    if (!result.ok) continue;
    result.derivative = r.derivative;
    auto row = static_cast<Eigen::Index>(experiments[e].first);
    for (const Datum& d : experiments[e].data) {
      const auto k = static_cast<Eigen::Index>(d.time), o = static_cast<Eigen::Index>(d.output);
      const double residual = (r.values(k, o) - d.value) / d.sigma;
      result.residuals[row] = residual;
      if (with_columns) result.jacobian.row(row) = r.columns[d.output].row(k) / d.sigma;
      if (!std::isfinite(residual * residual) ||
          (with_columns && !result.jacobian.row(row).allFinite())) {
        result.ok = false;
        result.message = fmt::format(
            "the residual of '{}' at t = {} or its derivative is no number: {} instead of {}, over "
            "its standard deviation {}",
            experiments[e].outputs[d.output].name, experiments[e].times[d.time], r.values(k, o),
            d.value, d.sigma);
        break;
      }
      ++row;
    }
  }
  if (result.ok && with_columns) drop_noise(result.derivative, result.jacobian);
  return result;
}

double FitTask::cost(const Eigen::VectorXd& residuals) const {
  double twice = 0.0;
  for (const double r : residuals) twice += loss_value(fit.loss, fit.loss_scale, r * r);
  return 0.5 * twice;
}

void FitTask::limit_trials(double first_run_seconds) const {
  // A busy machine makes a run some times longer; one of 100 times is another one (spec), and
  // nobody minds to wait some seconds.
  constexpr double longer = 100.0, least = 10.0;
  if (fit.trial_seconds == 0.0) trial_seconds_ = std::max(least, longer * first_run_seconds);
}

}  // namespace daedalus::estimation
