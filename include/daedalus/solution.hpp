// SPDX-License-Identifier: BSD-3-Clause
// The result of a run: complete even after failure, up to the last good point.
#pragma once

#include <Eigen/Core>
#include <array>
#include <exception>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <daedalus/event.hpp>
#include <daedalus/status.hpp>

namespace daedalus {

// Evaluation counts; kept per phase of the run and added up.
struct Counts {
  long residual_evaluations = 0;
  long function_evaluations = 0;
  long jacobian_evaluations = 0;
  long jacobian_columns = 0;  // directional derivatives or difference evaluations spent on them
  long mass_evaluations = 0;
  long constraint_evaluations = 0;
  long constraint_jacobian_evaluations = 0;
  long curvature_evaluations = 0;
  long factorisations = 0;
  long solves = 0;
  long newton_iterations = 0;
  long newton_failures = 0;
  long krylov_iterations = 0;  // products with the matrix, each one evaluation of dual numbers
  long krylov_failures = 0;    // systems that GMRES did not solve in Options::krylov.iterations
  Counts& operator+=(const Counts& o);
};
enum class Phase { start, step, projection, events, output };
inline constexpr int phase_count = 5;

struct Statistics {
  long accepted = 0;
  long rejected = 0;
  long projections = 0;
  long chart_changes = 0;
  long restarts = 0;
  long events = 0;
  std::vector<long> order_histogram;  // accepted steps by order, index 0 unused
  double h_min = 0.0, h_max = 0.0;
  // The size the controller proposes for the next step: Options::initial_step of a run that
  // continues this one. Not the last step taken, which the end of the interval may have cut short.
  double proposed_step = 0.0;
  double last_step = 0.0;   // the last accepted one
  double last_error = 0.0;  // its error test, 1 is the tolerance; 0 when there was none
  long error_test_failures = 0;
  long projection_failures = 0;  // projections that did not converge; the step was repeated
  double seconds = 0.0;
  std::array<Counts, phase_count> phases{};
  double position_residual = 0.0;  // largest |g| over the reported states; NaN: no constraints
  double velocity_residual = 0.0;  // largest |G v + g_t|
  // With Options::watch_drift: largest |d^2 g/dt^2|, and p of |residual| ~ (t - t0)^p, fitted to
  // the growth of the largest residual so far (1: linear, 2: quadratic); NaN: no growth, or none
  // such.
  double acceleration_residual = std::numeric_limits<double>::quiet_NaN();
  double position_growth = std::numeric_limits<double>::quiet_NaN();
  double velocity_growth = std::numeric_limits<double>::quiet_NaN();
  double acceleration_growth = std::numeric_limits<double>::quiet_NaN();
  long steps() const { return accepted + rejected; }
  Counts total() const;
  const Counts& in(Phase p) const& { return phases[static_cast<std::size_t>(p)]; }
  Counts in(Phase p) const&& { return phases[static_cast<std::size_t>(p)]; }
};
std::ostream& operator<<(std::ostream& out, const Statistics& s);

// Residuals of the constraints after an accepted step: |g|, |G v + g_t|, |d^2 g/dt^2|.
struct DriftSample {
  double t, position, velocity, acceleration;
};

struct MethodChoice {
  std::string method, formulation, linear_solver, reason;
  double tolerance_share = 1.0;  // of rtol and atol that the error of one step may take
};

struct SolutionData;
class Sensitivity;        // <daedalus/sensitivity.hpp>
struct SensitivityStory;  // the same

// Of a temporary the accessors give values: for (const auto& e : solve(...).events()) is safe.
class Solution {
 public:
  explicit Solution(std::shared_ptr<const SolutionData> data) : data_(std::move(data)) {}
  bool ok() const { return status() == Status::success || status() == Status::stopped_by_event; }
  Status status() const;
  const std::string& message() const&;
  std::string message() const&& { return message(); }
  double end_time() const;
  const Variables& variables() const&;
  Variables variables() const&& { return variables(); }
  const std::vector<double>& times() const&;  // of the reported states
  std::vector<double> times() const&& { return times(); }
  ModelState state(std::size_t i) const;  // i-th reported state
  ModelState start() const;               // after consistent initialisation
  ModelState end() const;                 // the last good point
  // With dense output any t in the interval; else a reported time (or the end), to round-off.
  ModelState at(double t) const;
  // With Options::sensitivities: dx/dp at t, asked for as at(t); and how they were computed. After
  // a jump at t: the other side, as at(t).
  Sensitivity sensitivity(double t) const;
  const SensitivityStory& sensitivities() const&;
  SensitivityStory sensitivities() const&&;
  const std::vector<EventRecord>& events() const&;
  std::vector<EventRecord> events() const&& { return events(); }
  const std::vector<DriftSample>& drift() const&;  // with Options::watch_drift
  std::vector<DriftSample> drift() const&& { return drift(); }
  const Statistics& statistics() const&;
  Statistics statistics() const&& { return statistics(); }
  const MethodChoice& choice() const&;
  MethodChoice choice() const&& { return choice(); }
  const std::vector<std::string>& warnings() const&;
  std::vector<std::string> warnings() const&& { return warnings(); }
  std::exception_ptr exception() const;  // what a callback threw: callback_failed, left_domain
  const SolutionData& data() const&;     // throws InvalidArgument after a move, as all above do
  const SolutionData& data() const&& = delete;

 private:
  std::shared_ptr<const SolutionData> data_;
};

}  // namespace daedalus
