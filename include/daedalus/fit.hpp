// SPDX-License-Identifier: BSD-3-Clause
// Parameters from measured data: weighted least squares over runs of a model, with bounds, robust
// losses, many starts, intervals, and the combinations of parameters that the data do not tell.
//
//   Fit fit{.model = entry};
//   fit.experiments = {read_experiment("enzyme-1.csv"), read_experiment("enzyme-2.csv")};
//   fit.free = {parse_free("kf=0.1..100"), parse_free("kr=0.01..10"), {.name = "kcat"}};
//   const FitResult result = daedalus::fit(fit);
//   if (result.ok()) use(result["kf"].value, result["kf"].sd);
//
// The minimum is searched by Ceres; a library that was built without it answers with a sentence
// (FitStatus::failed). The numbers do not depend on the number of threads.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <daedalus/entry.hpp>
#include <daedalus/options.hpp>

namespace daedalus {

// One column of data. NaN: the value is missing.
struct Measurement {
  std::string name{};           // of a variable, an invariant, an output of the model, or below
  std::vector<double> value{};  // one for each time of the experiment
  std::vector<double> sigma{};  // standard deviations: none, one for all, or one for each time
  double weight = 1.0;          // multiplies the residuals
  std::string unit{}, place{};  // as the file labels it; where it stands, for messages
};

struct Experiment {
  std::string name{};  // frees a quantity here alone: name.parameter
  std::string file{};
  Values set{};              // parameters in this experiment
  std::vector<double> t{};   // any order, repeated times are replicates
  std::vector<long> line{};  // of the file, one for each time, for messages; may be empty
  std::vector<Measurement> outputs{};
};

struct DataOptions {
  std::string name{};                      // empty: that of the file without its ending
  Values set{};                            // wins over lines "# set: S0 = 0.3" of the file
  std::map<std::string, double> sigma{};   // of columns without a column x.sigma
  std::map<std::string, double> scale{};   // factors on columns and their sigma
  std::map<std::string, double> weight{};  // factors on residuals
  std::vector<std::string> ignore{};       // columns that are no data
  bool shared_names = false;               // names above may belong to another file
};
// A CSV file as docs/estimation.md describes it. Throws FileError that names file, line and column.
Experiment read_experiment(const std::string& file, const DataOptions& options = {});
Experiment parse_experiment(const std::string& text, const std::string& file,
                            const DataOptions& options = {});

// What a fit may change. NaN and absent: as the model says, or chosen.
struct FreeQuantity {
  std::string name{};  // k1, start:x (a start value), run2.k1 (in one experiment), run2.start:x
  double start = std::numeric_limits<double>::quiet_NaN();
  double lower = std::numeric_limits<double>::quiet_NaN();
  double upper = std::numeric_limits<double>::quiet_NaN();
  // Absent: by its logarithm if both bounds are positive and differ by more than 100 times.
  std::optional<bool> log{};
};
// k1, k1=0.5, k1=0.1..10, k1=0.1..10@0.5, k1=1e-3..1e3:log, k1=1..1000:linear
FreeQuantity parse_free(const std::string& text);

// rho(r^2) of a residual r in sigmas; 1/2 sum rho is minimised.
enum class Loss { linear, huber, soft_l1, cauchy };
std::string_view to_string(Loss loss);
double loss_value(Loss loss, double scale, double squared);
double loss_slope(Loss loss, double scale, double squared);  // rho'

// A quantity of the state that is compared with data, for models that do not name it.
struct FitOutput {
  std::string name{};
  std::function<double(const StateView&, const Values& parameters)> value{};
};

enum class FitStatus { converged, at_bound, blocked, too_many_iterations, failed, cancelled };
std::string_view to_string(FitStatus status);

struct FitProgress {
  int start = 0, starts = 1;  // which start, from 0
  int iteration = 0;
  double cost = 0.0, step = 0.0, best = 0.0;  // best: of all starts so far
  long failed_trials = 0;
};

struct Fit {
  Entry model{};
  Values set{};  // parameters in all experiments
  std::vector<Experiment> experiments{};
  std::vector<FreeQuantity> free{};
  std::vector<FitOutput> outputs{};
  Loss loss = Loss::linear;
  double loss_scale = 1.0;  // in sigmas
  // Whether the covariance is that of known sigmas; absent: known if all values have one.
  std::optional<bool> sigma_known{};
  double confidence = 0.95;
  int starts = 1;  // more: the best of ten times as many points of a Latin hypercube in the bounds
  unsigned seed = 1;
  int max_iterations = 200;
  double trial_seconds = 0.0;  // a longer run counts as failed; 0: 100 times the first, at least 10
  int threads = 0;             // 0: as many as the machine has cores
  Options options{.rtol = 1e-10, .atol = 1e-10};  // of the runs
  bool by_differences = false;                    // of runs, even where runs carry derivatives
  int curve_points = 0;                           // of the model curves in the result; 0: none
  std::string journal{};           // keeps evaluated points in this file and goes on where it ends
  std::function<bool()> cancel{};  // true: end with the best so far; asked in every step
  std::function<void(const FitProgress&)> progress{};
};

struct ParameterEstimate {
  std::string name{};
  double value = 0.0, start = 0.0, lower = 0.0, upper = 0.0;
  bool log = false, at_bound = false;
  double sd = 0.0;                  // infinite: the data do not determine it
  double interval[2] = {0.0, 0.0};  // of Fit::confidence; asymmetric where log
};

// A combination of parameters that may change without any change of the residuals.
struct Undetermined {
  std::string sentence{}, combination{};
  Eigen::VectorXd vector{};  // in logarithms of the parameters, in the order of the estimates
  double relative = 0.0;     // singular value over the largest one
};

struct FitStart {
  std::vector<double> start{}, end{};
  double cost = 0.0;
  FitStatus status = FitStatus::failed;
  std::string message{};
  int iterations = 0;
  bool best = false;            // reached the least cost to 1e-6
  std::vector<double> costs{};  // after every iteration
};

struct FittedOutput {
  std::string name{};
  std::vector<double> t{}, value{}, sigma{}, model{}, residual{};  // residual in sigmas; no NaN
  std::vector<double> curve_t{}, curve{}, band{};  // band: half width at Fit::confidence
};
struct FittedExperiment {
  std::string name{}, file{};
  Values parameters{};  // all of them, in this experiment
  std::vector<FittedOutput> outputs{};
  double rms = 0.0;  // of the residuals
};

struct FitResult {
  FitStatus status = FitStatus::failed;
  std::string message{};
  double cost = 0.0, residual_norm = 0.0;
  long points = 0, degrees_of_freedom = 0;
  double variance = 1.0;  // s^2 = 2 cost / (points - estimates)
  bool sigma_known = false;
  std::vector<ParameterEstimate> estimates{};
  Eigen::MatrixXd correlation{};      // NaN where one is not determined
  Eigen::VectorXd singular_values{};  // of the Jacobian in logarithms of the parameters
  std::vector<Undetermined> undetermined{};
  std::vector<FitStart> starts{};  // by cost
  int reached_best = 0;            // how many of them
  std::vector<FittedExperiment> experiments{};
  std::string derivative{};  // exact, rebuilt or differences
  long evaluations = 0, runs = 0, failed_runs = 0, failed_trials = 0, known_evaluations = 0;
  double seconds = 0.0;
  std::vector<std::string> warnings{};
  bool ok() const { return status == FitStatus::converged || status == FitStatus::at_bound; }
  const ParameterEstimate& operator[](const std::string& name) const;  // throws InvalidArgument
};

// Throws InvalidArgument for what is no fit (unknown names, no data, bounds that exclude each
// other) before anything runs, and FileError for its journal.
FitResult fit(const Fit& fit);
bool can_fit();  // false: built without Ceres

// A model of a problem whose callables read their parameters from `x.p`.
Entry fit_model(const Problem& problem, Interval interval);

}  // namespace daedalus
