// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/fit.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ensemble/workers.hpp"
#include "estimation/curves.hpp"
#include "estimation/minimise.hpp"
#include "estimation/model_values.hpp"
#include "estimation/starts.hpp"
#include "estimation/statistics.hpp"

namespace daedalus {
namespace estimation {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t screened_per_start = 10;  // short runs for each start (spec)
constexpr double same_cost = 1e-6;              // starts that reached the same minimum

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class FitRun {
 public:
  explicit FitRun(const Fit& fit) : fit_(fit), task_(fit), evaluator_(task_) {
    if (fit.starts > 1) need_bounds(task_);
    threads_ = thread_count(fit.threads);
  }

  FitResult run() {
    const Clock::time_point begin = Clock::now();
    first_run();
    const std::vector<Eigen::VectorXd> starts = choose_starts();
    search(starts);
    report(starts);
    if (std::isfinite(minima_.front().cost)) describe();
    const EvaluationCounts counts = evaluator_.counts();
    result_.evaluations = counts.evaluations;
    result_.runs = counts.runs;
    result_.failed_runs = counts.failed_runs;
    result_.known_evaluations = counts.known;
    result_.seconds = seconds_since(begin);
    return std::move(result_);
  }

 private:
  // It tells how long a run takes. That of the start is made by the search as well; a journal has
  // it.
  void first_run() {
    const Clock::time_point begin = Clock::now();
    const Evaluation e = evaluator_.evaluate(task_.start(), false, Accuracy::screening, threads_);
    start_message_ = e.message;
    start_runs_ = e.ok;
    task_.limit_trials(seconds_since(begin));
  }

  bool can_screen() const {
    return std::all_of(task_.free.begin(), task_.free.end(),
                       [](const Quantity& q) { return q.bounded(); });
  }

  std::vector<Eigen::VectorXd> choose_starts() {
    const auto wanted = static_cast<std::size_t>(fit_.starts);
    if (wanted == 1 && (start_runs_ || !can_screen())) return {task_.start()};
    const std::vector<Candidate> all =
        screen(task_, evaluator_, screened_per_start * wanted, threads_);
    std::vector<Eigen::VectorXd> starts;
    for (const Candidate& c : all)
      if (starts.size() < wanted && std::isfinite(c.cost)) starts.push_back(c.u);
    if (starts.empty()) return {task_.start()};
    if (wanted == 1)
      result_.warnings.push_back(fmt::format(
          "the run at the start values fails ({}); the search began at the best of {} points that "
          "run",
          start_message_, all.size()));
    return starts;
  }

  void search(const std::vector<Eigen::VectorXd>& starts) {
    minima_.resize(starts.size());
    const std::size_t outer = std::min(threads_, starts.size());
    const std::size_t inner = std::max<std::size_t>(1, threads_ / outer);
    std::mutex mutex;
    double best = std::numeric_limits<double>::infinity();
    parallel_for(starts.size(), outer, [&](std::size_t k) {
      const Iterated iterated = [&](const Minimum& m, double step) {
        if (!fit_.progress) return;
        const std::lock_guard lock(mutex);
        best = std::min(best, m.cost);
        fit_.progress({static_cast<int>(k), static_cast<int>(starts.size()), m.iterations, m.cost,
                       step, best, m.failed_trials});
      };
      minima_[k] = task_.cancelled() && k > 0
                       ? Minimum{.status = FitStatus::cancelled, .u = starts[k]}
                       : minimise(task_, evaluator_, starts[k], inner, iterated);
    });
  }

  std::vector<double> values(const Eigen::VectorXd& u) const {
    std::vector<double> p;
    for (Eigen::Index i = 0; i < u.size(); ++i)
      p.push_back(task_.free[static_cast<std::size_t>(i)].to_p(u[i]));
    return p;
  }

  // The starts by cost; the first one is the result.
  void report(const std::vector<Eigen::VectorXd>& starts) {
    std::vector<std::size_t> order(minima_.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return minima_[a].cost < minima_[b].cost;
    });
    const double least = minima_[order[0]].cost;
    for (const std::size_t k : order) {
      const Minimum& m = minima_[k];
      const bool best = std::isfinite(m.cost) && m.cost - least <= same_cost * std::abs(least);
      result_.starts.push_back({values(starts[k]), values(m.u), m.cost, m.status, m.message,
                                m.iterations, best, m.costs});
      result_.reached_best += best ? 1 : 0;
      result_.failed_trials += m.failed_trials;
    }
    // Of those that reached the same minimum one that says so speaks for all.
    std::size_t chosen = order[0];
    for (std::size_t i = order.size(); i-- > 0;)
      if (result_.starts[i].best && minima_[order[i]].status == FitStatus::converged)
        chosen = order[i];
    result_.status = minima_[chosen].status;
    result_.message = minima_[chosen].message;
    std::swap(minima_.front(), minima_[order[0]]);
    if (task_.cancelled()) {
      result_.status = FitStatus::cancelled;
      result_.message = "interrupted; this is the best so far";
    }
  }

  void describe() {
    const Eigen::VectorXd& u = minima_.front().u;
    const Evaluation at = final_evaluation(u);
    if (!at.ok) return;
    result_.cost = task_.cost(at.residuals);
    result_.residual_norm = at.residuals.norm();
    result_.points = static_cast<long>(task_.points);
    result_.degrees_of_freedom = result_.points - static_cast<long>(task_.free.size());
    result_.variance = result_.degrees_of_freedom > 0
                           ? 2.0 * result_.cost / static_cast<double>(result_.degrees_of_freedom)
                           : std::nan("");
    result_.sigma_known = fit_.sigma_known.value_or(task_.all_sigmas);
    result_.derivative = at.derivative;
    const Eigen::MatrixXd covariance = describe_estimates(task_, u, at, result_);
    describe_experiments(task_, u, at, covariance, result_);
    conclude();
  }

  // With its columns, which a search that was interrupted may not have there.
  Evaluation final_evaluation(const Eigen::VectorXd& u) {
    return evaluator_.evaluate(u, true, Accuracy::full, threads_);
  }

  void conclude() {
    std::vector<std::string> at_bound;
    for (const ParameterEstimate& e : result_.estimates)
      if (e.at_bound) at_bound.push_back(e.name);
    if (result_.status == FitStatus::converged && !at_bound.empty()) {
      result_.status = FitStatus::at_bound;
      result_.message = fmt::format("{} {} at a bound: the least cost may lie beyond it",
                                    fmt::join(at_bound, ", "), at_bound.size() == 1 ? "is" : "are");
    }
    if (!at_bound.empty())
      result_.warnings.push_back(
          fmt::format("intervals are those of a minimum inside the bounds, and {} {} at one",
                      fmt::join(at_bound, ", "), at_bound.size() == 1 ? "is" : "are"));
    for (const Undetermined& u : result_.undetermined) result_.warnings.push_back(u.sentence);
    if (result_.derivative == "differences")
      result_.warnings.push_back(
          "derivatives are differences of runs: intervals are good to about three digits");
  }

  const Fit& fit_;
  FitTask task_;
  Evaluator evaluator_;
  std::size_t threads_ = 1;
  bool start_runs_ = false;
  std::string start_message_{};
  std::vector<Minimum> minima_{};
  FitResult result_{};
};

}  // namespace
}  // namespace estimation

std::string_view to_string(FitStatus status) {
  switch (status) {
    case FitStatus::converged:
      return "converged";
    case FitStatus::at_bound:
      return "at_bound";
    case FitStatus::blocked:
      return "blocked";
    case FitStatus::too_many_iterations:
      return "too_many_iterations";
    case FitStatus::failed:
      return "failed";
    case FitStatus::cancelled:
      return "cancelled";
  }
  return "";
}

bool can_fit() { return estimation::minimiser_built; }

FitResult fit(const Fit& given) {
  if (!can_fit()) {
    const estimation::FitTask checked(given);  // mistakes of the call are told first
    if (given.starts > 1) estimation::need_bounds(checked);
    FitResult result;
    result.message = estimation::minimiser_missing();
    result.points = static_cast<long>(checked.points);
    return result;
  }
  return estimation::FitRun(given).run();
}

const ParameterEstimate& FitResult::operator[](const std::string& name) const {
  std::vector<std::string> names;
  for (const ParameterEstimate& e : estimates) {
    if (e.name == name) return e;
    names.push_back(e.name);
  }
  throw InvalidArgument(estimation::no_such("estimate", name, names));
}

Entry fit_model(const Problem& problem, Interval interval) {
  Entry entry;
  entry.name = name_of(problem);
  entry.form = std::string(form_of(problem));
  entry.t0 = interval.from;
  entry.t_end = interval.to;
  entry.parameters = std::visit([](const auto& p) { return p.parameters; }, problem);
  entry.build = [problem](const Values& values) {
    Problem made = problem;
    for (const auto& [name, value] : values) set_parameter(made, name, value);
    return made;
  };
  return entry;
}

}  // namespace daedalus
