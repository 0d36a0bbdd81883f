// SPDX-License-Identifier: BSD-3-Clause
// A fit with its names resolved: what is free, what is compared with what, and the runs behind one
// point of the search.
#pragma once

#include <atomic>
#include <chrono>

#include <daedalus/fit.hpp>
#include <daedalus/solution.hpp>

namespace daedalus::estimation {

// A free quantity. The search sees u = ln p, or u = p / scale.
struct Quantity {
  std::string name{};    // as the user wrote it
  std::string target{};  // parameter, or variable of a start value
  int experiment = -1;   // -1: all
  bool start_value = false, log = false;
  double start = 0.0, lower = 0.0, upper = 0.0, scale = 1.0;
  double to_u(double p) const;
  double to_p(double u) const;
  double slope(double u) const;  // dp/du
  bool bounded() const;          // on both sides
};

struct OutputSource {
  enum class Kind { variable, invariant, model_output, callable } kind = Kind::variable;
  std::size_t index = 0;
  std::string name{};
};

struct Datum {
  std::size_t time = 0, output = 0;  // of the experiment
  double value = 0.0, sigma = 1.0;   // sigma divided by the weight
};

struct ExperimentTask {
  std::string name{};
  Values values{};              // all parameters but the free ones
  std::vector<double> times{};  // sorted, each once
  std::vector<OutputSource> outputs{};
  std::vector<Datum> data{};
  std::size_t first = 0;  // of its residuals among all
};

// Values and derivatives by u of the outputs at given times.
struct RunColumns {
  bool ok = false;
  std::string message{};
  Eigen::MatrixXd values{};                // times x outputs
  std::vector<Eigen::MatrixXd> columns{};  // one for each output: times x free quantities
  std::string derivative{};
  bool thrown = false, columns_finite = true;
  long runs = 0, failed = 0;
};

enum class Accuracy { screening, full, tight };

struct Evaluation {
  bool ok = false, with_columns = false;
  std::string message{};  // of the run that failed
  Eigen::VectorXd residuals{};
  Eigen::MatrixXd jacobian{};  // by u
  std::string derivative{};
  long runs = 0, failed = 0;
};

class FitTask {
 public:
  // Throws InvalidArgument that names what is wrong.
  explicit FitTask(const Fit& fit);

  const Fit& fit;
  std::vector<Quantity> free{};
  std::vector<ExperimentTask> experiments{};
  std::size_t points = 0;
  bool all_sigmas = true;  // every value has a given one

  Eigen::VectorXd start() const;
  Evaluation evaluate(const Eigen::VectorXd& u, bool with_columns, Accuracy accuracy,
                      std::size_t threads) const;
  // The runs of one experiment. `at`: times inside its interval, sorted.
  RunColumns run(std::size_t experiment, const Eigen::VectorXd& u, const std::vector<double>& at,
                 bool with_columns, Accuracy accuracy) const;
  double cost(const Eigen::VectorXd& residuals) const;
  bool cancelled() const { return fit.cancel && fit.cancel(); }
  bool belongs(const Quantity& q, std::size_t experiment) const {
    return q.experiment < 0 || q.experiment == static_cast<int>(experiment);
  }
  Values parameters(std::size_t experiment, const Eigen::VectorXd& u) const;
  Problem problem(std::size_t experiment, const Eigen::VectorXd& u, const Values& values) const;
  // After the first good run, unless the user gave one.
  void limit_trials(double first_run_seconds) const;

 private:
  void resolve_free(const Problem& problem);
  void resolve(const Experiment& experiment, const Problem& problem);
  void add_output(const Measurement& m, const Problem& problem, ExperimentTask& task);
  void check_bounds(Quantity& q, const FreeQuantity& given);

  RunColumns run_once(std::size_t experiment, const Eigen::VectorXd& u,
                      const std::vector<double>& at, bool with_columns, double factor) const;
  // Derivatives of a plain run from runs nearby.
  RunColumns differences(std::size_t experiment, const Eigen::VectorXd& u,
                         const std::vector<double>& at, RunColumns plain) const;

  mutable std::atomic<double> trial_seconds_ = 0.0;
  // Until a run says that this method or model has none.
  mutable std::atomic<bool> carries_columns_ = true;
};

}  // namespace daedalus::estimation
