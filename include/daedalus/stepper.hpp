// SPDX-License-Identifier: BSD-3-Clause
// The step contract. A stepper knows neither tolerances (beyond a weight for its Newton test) nor
// events, output or the end of the run.
#pragma once

#include <functional>
#include <span>

#include <daedalus/method.hpp>
#include <daedalus/stepper/archive.hpp>
#include <daedalus/stepper/layout.hpp>
#include <daedalus/stepper/outcome.hpp>
#include <daedalus/stepper/views.hpp>

namespace daedalus {

enum class StartReason { begin, event, method_change, chart_change };

// Values of the system's state at other times: exact ones, or the past of another method.
using Trajectory = std::function<bool(double t, State& s)>;

struct Start {
  StartReason reason;
  const State& at;  // consistent
  const Trajectory* known = nullptr;
  bool prescribed = false;  // given steps without error test: nothing will choose an order
};

struct StepRequest {
  long number;
  double t, h, t_new;  // h = t_new - t, may be negative
  int order;
  const Eigen::VectorXd& weight;  // error scale at t, tangent coordinates, index weights included
  // The same without index weights; nullptr: weight has none.
  const Eigen::VectorXd* scale = nullptr;
};

// Falls like h^power in each class of variables; neither scaled nor normed.
struct Estimate {
  int order = 1;
  ClassOrders power{};
  std::span<const double> value{};
  bool untested_too = false;  // counts even for blocks that are outside the error test
  // What of the errors of index-2 and higher variables the equations carry on as they do those of
  // differential ones: counts besides, without index weight. Empty: none, or not known.
  std::span<const double> carried{};
  // Below 1 for estimates of a much lower order than that of the solution: tested against
  // 0.1 tolerance^power (Hairer, Wanner 1996, section IV.8), so that errors follow the tolerance.
  double tolerance_power = 1.0;
};

struct Advice {
  double min_ratio = 0.0, max_ratio = 1e9;
  double keep_up_to = 1.0;  // do not change h by less than this factor: a factorisation is saved
  double after_failure = 0.25;
  int hold_steps = 0;
  int hold_order = 0;    // accepted steps at an order before another one is considered
  double caution = 1.0;  // times the safety factor: an iteration that converges slowly asks for it
  int order = 0;         // of the next step, where the iteration decides it; 0: the tests do
};

struct Attempt {
  Outcome outcome = Outcome::ok;
  int order = 0;                          // the one used; 0: the one asked for
  std::span<const Estimate> estimates{};  // the order used first, then its neighbours
  Advice advice{};
  int newton_iterations = 0;
  double newton_rate = 0.0;
  // |h| times an estimate of the largest eigenvalue over the method's stability boundary: above 1
  // stability, not accuracy, limits the step; 0: not known.
  double stiffness = 0.0;
  Culprit culprit{};
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  // Nothing here may depend on h: step-dependent start corrections belong to the first attempt.
  virtual Outcome start(const Start& s) = 0;
  virtual Attempt attempt(
      const StepRequest& r) = 0;  // repeatable; the committed state is untouched
  virtual State& trial() = 0;     // result of the last good attempt; may be projected
  virtual Outcome interpolant(Interpolant& out) = 0;  // between a good attempt and its commit
  virtual void commit(bool amended) = 0;              // amended: the loop changed the trial
  virtual int interpolant_degree() const = 0;         // the largest
  // Of all variables, or of the differential ones alone.
  virtual bool estimates_all() const { return true; }
  virtual void archive(Archive& a) = 0;  // one function saves and loads
};

}  // namespace daedalus
