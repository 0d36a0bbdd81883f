// SPDX-License-Identifier: BSD-3-Clause
// Levenberg-Marquardt by Ceres 2.1 (Agarwal, Mierle and others, ceres-solver.org).
#include <ceres/ceres.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "estimation/minimise.hpp"

namespace daedalus::estimation {

const bool minimiser_built = true;
std::string minimiser_missing() { return {}; }

namespace {

// Refused trials in a row that end the search; Ceres' own 5 are few beside a region without runs.
constexpr int max_refused = 50;
// Of cost and parameters. Costs of runs with rtol 1e-8 are smooth far below that, and steps shrink
// slowly where residuals are large: an outlier.
constexpr double function_tolerance = 1e-13, parameter_tolerance = 1e-10;
constexpr double gradient_share = 1e-10;  // of the first gradient
// A search that ends beside refused trials with more of its first gradient has not arrived.
constexpr double blocked_share = 1e-3;

class Search;

// One value of the data: Ceres applies the loss to each.
class Value final : public ceres::CostFunction {
 public:
  Value(const Search& search, Eigen::Index row, int free) : search_(search), row_(row) {
    set_num_residuals(1);
    mutable_parameter_block_sizes()->push_back(free);
  }
  bool Evaluate(const double* const*, double* residuals, double** jacobians) const override;

 private:
  const Search& search_;
  Eigen::Index row_;
};

class Search final : public ceres::EvaluationCallback, public ceres::IterationCallback {
 public:
  Search(const FitTask& task, Evaluator& evaluator, const Eigen::VectorXd& start,
         std::size_t threads, const Iterated& iterated)
      : task_(task), evaluator_(evaluator), threads_(threads), iterated_(iterated), u_(start) {
    result_.u = start;
  }

  Minimum run() {
    evaluate(true);
    if (!current_.ok) {
      result_.status = task_.cancelled() ? FitStatus::cancelled : FitStatus::failed;
      result_.message = current_.message;
      result_.failed_trials = 1;
      return result_;
    }
    first_gradient_ = gradient();
    ceres::Problem::Options how;
    how.evaluation_callback = this;
    ceres::Problem problem(how);
    add_residuals(problem);
    ceres::Solver::Summary summary;
    ceres::Solve(options(), &problem, &summary);
    conclude(summary);
    return result_;
  }

  const Evaluation& current() const { return current_; }

  // Of Ceres, before it asks for values at a point.
  void PrepareForEvaluation(bool with_jacobian, bool new_point) override {
    if (!new_point && (current_.with_columns || !with_jacobian)) return;
    evaluate(with_jacobian);
  }

  ceres::CallbackReturnType operator()(const ceres::IterationSummary& s) override {
    result_.iterations = s.iteration;
    result_.costs.push_back(result_.cost);
    if (s.step_is_successful || s.iteration == 0) {
      refused_ = trials_ = 0;
      last_gradient_ = s.gradient_max_norm;
    }
    if (iterated_) iterated_(result_, s.step_norm);
    return task_.cancelled() ? ceres::SOLVER_ABORT : ceres::SOLVER_CONTINUE;
  }

 private:
  void evaluate(bool with_columns) {
    current_ =
        evaluator_.evaluate(u_, with_columns || columns_come_along_, Accuracy::full, threads_);
    ++trials_;
    if (!current_.ok) {
      ++refused_;
      ++result_.failed_trials;
      failure_ = current_.message;
      failed_at_ = u_;
      return;
    }
    columns_come_along_ = !current_.derivative.empty() && current_.derivative != "differences";
    const double cost = task_.cost(current_.residuals);
    if (cost < result_.cost) {
      result_.cost = cost;
      result_.u = u_;
    }
  }

  double gradient() const {
    Eigen::VectorXd weighted = current_.residuals;
    for (double& r : weighted) r *= loss_slope(task_.fit.loss, task_.fit.loss_scale, r * r);
    return (current_.jacobian.transpose() * weighted).cwiseAbs().maxCoeff();
  }

  void add_residuals(ceres::Problem& problem) {
    const int n = static_cast<int>(u_.size());
    for (Eigen::Index row = 0; row < static_cast<Eigen::Index>(task_.points); ++row)
      problem.AddResidualBlock(new Value(*this, row, n), loss(), u_.data());
    for (int i = 0; i < n; ++i) {
      const Quantity& q = task_.free[static_cast<std::size_t>(i)];
      if (std::isfinite(q.lower) && !(q.log && q.lower <= 0.0))
        problem.SetParameterLowerBound(u_.data(), i, q.to_u(q.lower));
      if (std::isfinite(q.upper)) problem.SetParameterUpperBound(u_.data(), i, q.to_u(q.upper));
    }
  }

  ceres::LossFunction* loss() const {
    const double a = task_.fit.loss_scale;
    switch (task_.fit.loss) {
      case Loss::linear:
        return nullptr;
      case Loss::huber:
        return new ceres::HuberLoss(a);
      case Loss::soft_l1:
        return new ceres::SoftLOneLoss(a);
      case Loss::cauchy:
        return new ceres::CauchyLoss(a);
    }
    return nullptr;
  }

  ceres::Solver::Options options() {
    ceres::Solver::Options o;
    o.minimizer_type = ceres::TRUST_REGION;
    o.trust_region_strategy_type = ceres::LEVENBERG_MARQUARDT;
    o.linear_solver_type = ceres::DENSE_QR;
    o.logging_type = ceres::SILENT;
    o.num_threads = 1;  // the bits must not depend on them
    o.max_num_iterations = task_.fit.max_iterations;
    o.max_num_consecutive_invalid_steps = max_refused;
    o.function_tolerance = function_tolerance;
    o.parameter_tolerance = parameter_tolerance;
    o.gradient_tolerance = gradient_share * std::max(first_gradient_, 1e-300);  // not 0
    o.callbacks.push_back(this);
    return o;
  }

  void conclude(const ceres::Solver::Summary& summary) {
    switch (summary.termination_type) {
      case ceres::CONVERGENCE:
        result_.status = FitStatus::converged;
        break;
      case ceres::NO_CONVERGENCE:
        result_.status = FitStatus::too_many_iterations;
        result_.message = fmt::format("{} iterations were not enough", result_.iterations);
        break;
      default:
        result_.status = FitStatus::failed;
        result_.message = summary.message;
    }
    if (task_.cancelled()) {
      result_.status = FitStatus::cancelled;
      result_.message = "interrupted; this is the best so far";
      return;
    }
    const bool only_refused = refused_ > 0 && refused_ == trials_;
    const bool far = result_.failed_trials > 0 && last_gradient_ > blocked_share * first_gradient_;
    if (!only_refused && !far) return;
    result_.status = FitStatus::blocked;
    std::vector<std::string> at;
    for (std::size_t i = 0; i < task_.free.size(); ++i)
      at.push_back(fmt::format("{} = {:.6g}", task_.free[i].name,
                               task_.free[i].to_p(failed_at_[static_cast<Eigen::Index>(i)])));
    result_.message =
        fmt::format("the search cannot go on: runs fail beside the point it has reached, at {}: {}",
                    fmt::join(at, ", "), failure_);
  }

  const FitTask& task_;
  Evaluator& evaluator_;
  std::size_t threads_;
  const Iterated& iterated_;
  Eigen::VectorXd u_;  // Ceres writes the point here before it asks for values
  Evaluation current_{};
  Minimum result_{};
  bool columns_come_along_ = true;  // of the first evaluation, and where a run carries them
  double first_gradient_ = 0.0, last_gradient_ = 0.0;
  long refused_ = 0, trials_ = 0;  // since the last accepted step
  std::string failure_{};
  Eigen::VectorXd failed_at_{};
};

bool Value::Evaluate(const double* const*, double* residuals, double** jacobians) const {
  const Evaluation& e = search_.current();
  if (!e.ok) return false;
  residuals[0] = e.residuals[row_];
  if (jacobians == nullptr || jacobians[0] == nullptr) return true;
  for (Eigen::Index i = 0; i < e.jacobian.cols(); ++i) jacobians[0][i] = e.jacobian(row_, i);
  return true;
}

}  // namespace

Minimum minimise(const FitTask& task, Evaluator& evaluator, const Eigen::VectorXd& start,
                 std::size_t threads, const Iterated& iterated) {
  return Search(task, evaluator, start, threads, iterated).run();
}

}  // namespace daedalus::estimation
