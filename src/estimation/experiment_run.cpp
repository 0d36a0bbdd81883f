// SPDX-License-Identifier: BSD-3-Clause
// The runs behind one experiment: outputs at the times of the data, and their derivatives.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <daedalus/sensitivity.hpp>
#include <daedalus/solve.hpp>

#include "ensemble/run_task.hpp"
#include "estimation/fit_task.hpp"
#include "estimation/model_values.hpp"

namespace daedalus::estimation {
namespace {

using Clock = std::chrono::steady_clock;

struct KeptState {
  double t;
  Eigen::VectorXd y;
  std::vector<double> modes;
};

// A run with the states at the times that were asked for.
struct Kept {
  bool ok = false;
  std::string message{};
  std::shared_ptr<const Variables> variables{};
  std::vector<KeptState> states{};
  std::vector<Eigen::MatrixXd> columns{};  // in point coordinates, one for each state
  std::string derivative{};
};

// Free quantities of one experiment as columns of its run.
struct Asked {
  std::vector<std::string> parameters{}, start_values{};
  std::vector<Eigen::Index> place{};  // of each column among all free quantities
};

Asked columns_of(const FitTask& task, std::size_t e) {
  Asked asked;
  std::vector<Eigen::Index> starts;
  for (std::size_t i = 0; i < task.free.size(); ++i) {
    const Quantity& q = task.free[i];
    if (!task.belongs(q, e)) continue;
    (q.start_value ? asked.start_values : asked.parameters).push_back(q.target);
    (q.start_value ? starts : asked.place).push_back(static_cast<Eigen::Index>(i));
  }
  asked.place.insert(asked.place.end(), starts.begin(), starts.end());
  return asked;
}

double output_value(const Fit& fit, const OutputSource& o, const Problem& problem,
                    const Values& values, const StateView& state, std::vector<double>& model) {
  switch (o.kind) {
    case OutputSource::Kind::variable:
      return state[o.name];
    case OutputSource::Kind::invariant:
      return invariant(problem, o.index, state);
    case OutputSource::Kind::callable:
      return fit.outputs[o.index].value(state, values);
    case OutputSource::Kind::model_output:
      break;
  }
  model.resize(fit.model.outputs.size());
  fit.model.evaluate_outputs(values, state, Out(model.data(), static_cast<int>(model.size())));
  return model[o.index];
}

void set_tolerance(Options& o, double factor) {
  o.rtol *= factor;
  o.atol = Tolerance(factor * o.atol.values());
}

Options options_of(const Fit& fit, const Values& values, const std::vector<double>& at,
                   double factor) {
  Options o = fit.options;
  set_tolerance(o, factor);
  o.output = Output::times;
  o.output_times = at;
  fit.model.apply(o, values);
  return o;
}

std::string why_not(const Solution& solution, double last, bool late) {
  if (late) return fmt::format("the run took too long; it had reached t = {}", solution.end_time());
  if (solution.ok())
    return fmt::format("the run was stopped by an event at t = {}, before the last data at {}",
                       solution.end_time(), last);
  return fmt::format("{} at t = {}: {}", to_string(solution.status()), solution.end_time(),
                     solution.message());
}

// Rows of positions on groups are tangent coordinates: moved along them by a difference.
Eigen::MatrixXd in_points(const Problem& problem, const Eigen::VectorXd& y,
                          const Eigen::MatrixXd& columns) {
  const auto* body = std::get_if<MultibodyProblem>(&problem);
  if (!body || body->space.points() == body->space.tangents()) return columns;
  const Eigen::Index points = body->space.points(), tangents = body->space.tangents();
  Eigen::MatrixXd result(y.size(), columns.cols());
  result.bottomRows(y.size() - points) = columns.bottomRows(y.size() - points);
  constexpr double increment = 1e-5;  // relative; central, its error is the square
  Eigen::VectorXd above(points), below(points);
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    const double d = increment / std::max(1e-300, columns.col(j).head(tangents).norm());  // not 0
    Eigen::VectorXd w = d * columns.col(j).head(tangents);
    body->space.plus<double>(y.data(), w.data(), above.data());
    w = -w;
    body->space.plus<double>(y.data(), w.data(), below.data());
    result.col(j).head(points) = (above - below) / (2.0 * d);
  }
  return result;
}

void keep_columns(const Solution& solution, const Problem& problem, Kept& kept) {
  for (const KeptState& s : kept.states)
    kept.columns.push_back(in_points(problem, s.y, solution.sensitivity(s.t).matrix()));
  DerivativeKind worst = DerivativeKind::exact;
  for (const SensitivityColumn& c : solution.sensitivities().columns)
    worst = std::max(worst, c.derivative);
  kept.derivative = to_string(worst);
}

// Problems for parameters nearby, with the start values that this experiment has.
std::shared_ptr<const ParameterFamily> family_of(const FitTask& task, std::size_t e,
                                                 const Eigen::VectorXd& u, const Values& values) {
  ParameterFamily family{.parameters = task.fit.model.parameters};
  for (Parameter& p : family.parameters) p.value = values.at(p.name);
  const auto named = [parameters = family.parameters](const std::vector<double>& given) {
    Values all;
    for (std::size_t i = 0; i < given.size(); ++i) all[parameters[i].name] = given[i];
    return all;
  };
  family.problem = [&task, e, u, named](const std::vector<double>& given) {
    return task.problem(e, u, named(given));
  };
  if (task.fit.model.build_events)
    family.events = [&task, named](const std::vector<double>& given) {
      return task.fit.model.events(named(given));
    };
  return std::make_shared<const ParameterFamily>(std::move(family));
}

// `asked`: null for a plain run.
Kept make_run(const Fit& fit, const Problem& problem, const Values& values,
              const std::vector<double>& at, double factor, double limit_seconds,
              const SensitivityOptions* asked) {
  Kept kept;
  bool late = false;
  const Clock::time_point begin = Clock::now();
  Options o = options_of(fit, values, at, factor);
  if (asked) o.sensitivities = *asked;
  o.cancel = [&, own = o.cancel] {
    late = limit_seconds > 0.0 &&
           std::chrono::duration<double>(Clock::now() - begin).count() > limit_seconds;
    return late || (fit.cancel && fit.cancel()) || (own && own());
  };
  o.sink = [&](const StateView& s) {
    if (!kept.variables) kept.variables = std::make_shared<const Variables>(s.variables());
    if (!kept.states.empty() && kept.states.back().t == s.t()) kept.states.pop_back();
    kept.states.push_back({s.t(), s.all(), {s.modes().begin(), s.modes().end()}});
  };
  const double end = at.back() > fit.model.t0 ? at.back() : fit.model.t_end;
  const Solution solution = solve(problem, {fit.model.t0, end}, o);
  lacks_no_memory(solution);
  kept.ok = solution.ok() && kept.states.size() == at.size();
  if (!kept.ok) kept.message = why_not(solution, at.back(), late);
  if (kept.ok && asked) keep_columns(solution, problem, kept);
  return kept;
}

}  // namespace

// Plain runs at nearby points, where a run carries no derivatives.
class Differences {
 public:
  Differences(const FitTask& task, std::size_t experiment, const std::vector<double>& at)
      : task_(task), experiment_(experiment), at_(at) {}

  // Fills result.columns; false: one side and the other fail.
  bool fill(const Eigen::VectorXd& u, RunColumns& result) const {
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      const Quantity& q = task_.free[static_cast<std::size_t>(i)];
      if (q.experiment >= 0 && q.experiment != static_cast<int>(experiment_)) continue;
      if (!fill(u, i, result)) return false;
    }
    return true;
  }

 private:
  bool fill(const Eigen::VectorXd& u, Eigen::Index i, RunColumns& result) const {
    const double tolerance = std::max(least_rtol, share * task_.fit.options.rtol);
    // Errors of the run over d, and d^2 of the formula, are equal at about its cube root.
    const double d = std::cbrt(tolerance) * std::max(1.0, std::abs(u[i]));
    const RunColumns above = side(u, i, d, result), below = side(u, i, -d, result);
    if (!above.ok && !below.ok) {
      result.message = above.message;
      return false;
    }
    const Eigen::MatrixXd& low = below.ok ? below.values : result.values;
    const Eigen::MatrixXd& high = above.ok ? above.values : result.values;
    const Eigen::MatrixXd slope = (high - low) / (d * ((above.ok ? 1 : 0) + (below.ok ? 1 : 0)));
    for (std::size_t o = 0; o < result.columns.size(); ++o)
      result.columns[o].col(i) = slope.col(static_cast<Eigen::Index>(o));
    return true;
  }
  RunColumns side(Eigen::VectorXd u, Eigen::Index i, double d, RunColumns& result) const {
    u[i] += d;
    RunColumns r = task_.run(experiment_, u, at_, false, Accuracy::tight);
    result.runs += r.runs;
    result.failed += r.failed;
    return r;
  }

 public:
  // Runs whose differences are taken: so much more accurate, but not beyond round-off.
  static constexpr double share = 1e-3, least_rtol = 1e-12;

 private:
  const FitTask& task_;
  std::size_t experiment_;
  const std::vector<double>& at_;
};

namespace {

// Values of the outputs, and their derivatives where the run has columns.
class Outputs {
 public:
  Outputs(const Fit& fit, const ExperimentTask& task, const Problem& problem, const Values& values,
          const Kept& kept)
      : fit_(fit), task_(task), problem_(problem), values_(values), kept_(kept) {}

  void fill(RunColumns& result) {
    const auto times = static_cast<Eigen::Index>(kept_.states.size());
    const auto outputs = static_cast<Eigen::Index>(task_.outputs.size());
    result.values.resize(times, outputs);
    for (Eigen::Index k = 0; k < times; ++k)
      for (Eigen::Index o = 0; o < outputs; ++o)
        result.values(k, o) =
            value(o, kept_.states[static_cast<std::size_t>(k)], values_, problem_);
    result.ok = result.values.allFinite();
    if (!result.ok) result.message = "an output is not a finite number";
  }

  // du: for each column its free quantity, and how far p goes with u. `moved` builds the problem
  // for other values.
  void fill_columns(const FitTask& task, const Asked& asked, const Eigen::VectorXd& u,
                    RunColumns& result) {
    for (std::size_t j = 0; j < asked.place.size(); ++j) {
      const Eigen::Index i = asked.place[j];
      const Quantity& q = task.free[static_cast<std::size_t>(i)];
      const double by_u = q.slope(u[i]);
      for (std::size_t o = 0; o < task_.outputs.size(); ++o)
        for (std::size_t k = 0; k < kept_.states.size(); ++k)
          result.columns[o](static_cast<Eigen::Index>(k), i) =
              by_u * derivative(o, k, static_cast<Eigen::Index>(j), q, q.to_p(u[i]));
    }
  }

 private:
  double value(Eigen::Index o, const KeptState& s, const Values& values, const Problem& problem) {
    const StateView view(*kept_.variables, s.t, s.y.data(), s.modes);
    return output_value(fit_, task_.outputs[static_cast<std::size_t>(o)], problem, values, view,
                        scratch_);
  }

  // do/dp at state k along column j: a row of the columns, or a difference along them.
  double derivative(std::size_t o, std::size_t k, Eigen::Index j, const Quantity& q, double p) {
    const Eigen::VectorXd column = kept_.columns[k].col(j);
    const OutputSource& source = task_.outputs[o];
    if (source.kind == OutputSource::Kind::variable)
      return column[kept_.variables->find(source.name)];
    constexpr double increment = 6e-6;  // eps^(1/3), central
    const double d = increment * std::max(std::abs(p), q.start_value || p == 0.0 ? 1.0 : 0.0);
    const auto moved = [&](double by) {
      KeptState s = kept_.states[k];
      s.y += by * column;
      if (q.start_value) return value(static_cast<Eigen::Index>(o), s, values_, problem_);
      Values values = values_;
      values[q.target] = p + by;
      // Invariants read parameters of the problem; outputs get them as values.
      if (source.kind != OutputSource::Kind::invariant)
        return value(static_cast<Eigen::Index>(o), s, values, problem_);
      return value(static_cast<Eigen::Index>(o), s, values, fit_.model.problem(values));
    };
    return (moved(d) - moved(-d)) / (2.0 * d);
  }

  const Fit& fit_;
  const ExperimentTask& task_;
  const Problem& problem_;
  const Values& values_;
  const Kept& kept_;
  std::vector<double> scratch_{};
};

}  // namespace

Problem FitTask::problem(std::size_t e, const Eigen::VectorXd& u, const Values& values) const {
  Problem made = fit.model.problem(values);
  for (std::size_t i = 0; i < free.size(); ++i)
    if (free[i].start_value && belongs(free[i], e))
      set_start_value(made, free[i].target, free[i].to_p(u[static_cast<Eigen::Index>(i)]));
  return made;
}

// What a run throws is a value that the model does not allow, or a model or method without columns.
RunColumns FitTask::run_once(std::size_t e, const Eigen::VectorXd& u, const std::vector<double>& at,
                             bool with_columns, double factor) const {
  RunColumns result{.runs = 1};
  try {
    const ExperimentTask& task = experiments[e];
    const Values values = fit.model.all_values(parameters(e, u));
    const Problem made = problem(e, u, values);
    const Asked asked = with_columns ? columns_of(*this, e) : Asked{};
    const SensitivityOptions columns{.parameters = asked.parameters,
                                     .start_values = asked.start_values,
                                     .family = family_of(*this, e, u, values)};
    const Kept kept =
        make_run(fit, made, values, at, factor, trial_seconds_, with_columns ? &columns : nullptr);
    result.ok = kept.ok;
    result.message = kept.message;
    Outputs outputs(fit, task, made, values, kept);
    if (result.ok) outputs.fill(result);
    if (result.ok && with_columns) {
      result.derivative = kept.derivative;
      result.columns.assign(task.outputs.size(),
                            Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(at.size()), u.size()));
      outputs.fill_columns(*this, asked, u, result);
      for (const Eigen::MatrixXd& c : result.columns) result.columns_finite &= c.allFinite();
    }
  } catch (const InvalidArgument& error) {
    result.ok = false;
    result.thrown = true;
    result.message = error.what();
  }
  result.failed = result.ok ? 0 : 1;
  return result;
}

RunColumns FitTask::run(std::size_t e, const Eigen::VectorXd& u, const std::vector<double>& at,
                        bool with_columns, Accuracy accuracy) const {
  constexpr double screening_rtol = 1e-4;  // enough to tell good starts from bad ones
  const double rtol = fit.options.rtol;
  const double factor = accuracy == Accuracy::screening ? std::max(1.0, screening_rtol / rtol)
                        : accuracy == Accuracy::tight
                            ? std::max(Differences::least_rtol, Differences::share * rtol) / rtol
                            : 1.0;
  if (with_columns && !fit.by_differences && carries_columns_) {
    RunColumns result = run_once(e, u, at, true, factor);
    if (!result.thrown && (!result.ok || result.columns_finite)) return result;
    RunColumns plain = run(e, u, at, false, accuracy);
    plain.runs += result.runs;
    if (!result.thrown) plain.failed += result.failed;
    if (!plain.ok) return plain;
    carries_columns_ = carries_columns_ && !result.thrown;
    return differences(e, u, at, std::move(plain));
  }
  RunColumns result = run_once(e, u, at, false, factor);
  return with_columns && result.ok ? differences(e, u, at, std::move(result)) : result;
}

RunColumns FitTask::differences(std::size_t e, const Eigen::VectorXd& u,
                                const std::vector<double>& at, RunColumns result) const {
  result.columns.assign(experiments[e].outputs.size(),
                        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(at.size()), u.size()));
  result.derivative = to_string(DerivativeKind::differences);
  result.ok = Differences(*this, e, at).fill(u, result);
  return result;
}

}  // namespace daedalus::estimation
