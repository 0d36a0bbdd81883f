// SPDX-License-Identifier: BSD-3-Clause
// Everything a user may choose for a run. Every field has the name the tool uses.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <daedalus/event.hpp>
#include <daedalus/krylov.hpp>

namespace daedalus {

// One value for all variables, or one per model variable.
class Tolerance {
 public:
  Tolerance(double all) : values_(Eigen::VectorXd::Constant(1, all)) {}  // NOLINT
  Tolerance(std::initializer_list<double> each)
      : values_(Eigen::Map<const Eigen::VectorXd>(each.begin(), static_cast<int>(each.size()))) {}
  template <class Vector>
  Tolerance(const Eigen::MatrixBase<Vector>& each) : values_(each) {  // NOLINT: of any length
    static_assert(Vector::IsVectorAtCompileTime, "one tolerance per variable is a vector");
  }
  bool scalar() const { return values_.size() == 1; }
  double operator[](int i) const { return values_[scalar() ? 0 : i]; }
  int size() const { return static_cast<int>(values_.size()); }
  const Eigen::VectorXd& values() const& { return values_; }
  Eigen::VectorXd values() const&& { return values_; }

 private:
  Eigen::VectorXd values_;
};

enum class Output { none, end, steps, times, dense };  // dense keeps steps and interpolants
enum class ProjectionWhen { none, automatic, every_step };
enum class ErrorNorm { rms, maximum };
// Which part of the estimated error the step control looks at. all: every variable; differential:
// P x, what is differentiated (Tischendorf 1992, "Steuerung 1"); without_index2: all but the part
// that is obtained by differentiation; index_weighted: all, that of index k times h^(k-1).
// automatic: methods of variable order ask the structure of the equations at the start: all for
// index 0 and 1, without_index2 for index 2; otherwise, and for the other methods, index_weighted.
enum class ErrorPolicy { automatic, all, differential, without_index2, index_weighted };
// automatic: check, and complete what follows from the given values (lambda, v'); solve: change
// the start values as little as possible until they are consistent; given: trust them.
enum class StartStrategy { automatic, solve, given };
// range_space and null_space: ways to solve [M G^T; G 0] of multibody systems; dense and sparse
// mean elimination in the whole matrix there. krylov: no matrix, see Options::krylov.
enum class LinearAlgebra { automatic, dense, sparse, range_space, null_space, krylov };
enum class DerivativeSource { automatic, differences };  // differences: even if exact ones exist

// The defect added to the residual rows in every evaluation of step n (perturbation experiments):
// F(t, x, x') + defect = 0, or M x' = f - defect. Rows are the equations of the system that is
// solved; `row_names` tells which is which. Start values and projections are not perturbed.
struct DefectSite {
  long step;
  double t, h;
  const std::vector<std::string>& row_names;
};
using Defect = std::function<void(const DefectSite&, Out rows)>;

// How columns of derivatives are propagated (docs/sensitivities.md). automatic: as the method
// declares. staggered: after an accepted step, by the formula of the method or by collocation on
// it; step: the derivative of the formulas of the step itself (linearly implicit methods).
enum class SensitivityMethod { automatic, staggered, simultaneous, step };
struct ParameterFamily;  // <daedalus/sensitivity.hpp>

// Derivatives of the solution that a run carries along: columns dx/dp. None are asked for: not one
// instruction is spent, and the states are the same bits either way.
struct SensitivityOptions {
  std::vector<std::string> parameters{};  // names, in the order of the columns; {"*"}: all
  // Variables whose start values are columns as well; on groups "q" means all tangent directions.
  std::vector<std::string> start_values{};
  Eigen::MatrixXd directions{};  // columns: combinations of the above; empty: the identity
  SensitivityMethod method = SensitivityMethod::automatic;
  bool error_test = false;  // derivatives take part in the step control
  // Where parameters are no inputs of the equations: how a problem is built for other values.
  std::shared_ptr<const ParameterFamily> family{};
  bool empty() const { return parameters.empty() && start_values.empty(); }
};

struct Progress {
  double t, t_end, h;
  long steps;
};

// One attempted step, as the trace sees it.
struct StepRecord {
  long number;
  double t, h;
  int order;
  double error;  // value of the error test; 0 when there was none
  int newton_iterations;
  std::string_view outcome;  // accepted, error_test, newton_failed, ...
  int worst_variable;        // index into the system's variables, -1 unknown
  std::string_view worst_name;
};

struct Options {
  std::string method = "auto";
  std::string formulation = "auto";
  std::map<std::string, double> formulation_options{};  // alpha of baumgarte, ...
  ProjectionWhen projection = ProjectionWhen::automatic;
  // Invariants of the problem, by name, that the projection holds at their start values as well.
  std::vector<std::string> project_invariants{};
  bool watch_drift = false;  // residuals of the constraints at all levels, after every step
  double rtol = 1e-6;
  Tolerance atol = 1e-6;
  Output output = Output::steps;
  std::vector<double> output_times{};
  // States at output_times are projected to the constraints before they are reported.
  bool project_output = false;
  std::vector<Event> events{};
  // Times where the right-hand side is not smooth, in any order, besides Problem::break_times: a
  // step ends there, nothing is evaluated across, and the method starts again.
  std::vector<double> break_times{};
  double initial_step = 0.0;  // 0: chosen
  double max_step = 0.0;      // 0: the length of the interval
  double min_step = 0.0;      // 0: a few units of round-off of t
  long max_steps = 1000000;
  double fixed_step = 0.0;              // > 0: constant steps, no error control
  std::vector<double> step_sequence{};  // given steps, no error control
  std::string control = "auto";         // elementary, pi, stabilised, filter, ...
  double safety = 0.0;                  // 0: the controller's
  double min_ratio = 0.0;               // of consecutive steps; 0: the controller's
  double max_ratio = 0.0;
  double stabilisation = 0.04;  // beta of the control "stabilised"; 0: none
  ErrorNorm norm = ErrorNorm::rms;
  ErrorPolicy error_test = ErrorPolicy::automatic;
  Eigen::MatrixXd projector{};          // P of ErrorPolicy::differential; empty: computed
  bool index_weights = true;            // errors of index-k variables count with h^(k-1)
  std::vector<std::string> untested{};  // variables left out of the error test
  StartStrategy start = StartStrategy::automatic;
  std::vector<std::string> fixed{};  // variables that StartStrategy::solve must not change
  LinearAlgebra linear_algebra = LinearAlgebra::automatic;
  KrylovOptions krylov{};  // for LinearAlgebra::krylov
  DerivativeSource derivatives = DerivativeSource::automatic;
  // > 0: forward differences with this increment times max(1, |x|) for every variable and t, even
  // if exact derivatives exist; Steinebach (1988) used about 1.5e-8. 0: chosen per variable.
  double difference_increment = 0.0;
  std::map<std::string, double> method_options{};
  std::function<bool()> cancel{};                   // true: stop before the next step
  std::function<void(const Progress&)> progress{};  // after every accepted step
  std::function<void(const StepRecord&)> trace{};   // after every attempted step
  std::function<void(const StateView&)> sink{};     // receives every reported state
  Defect defect{};
  // Values at earlier or later times, for methods that need more than one start value.
  std::function<bool(double t, Out y)> known{};
  SensitivityOptions sensitivities{};
};

}  // namespace daedalus
