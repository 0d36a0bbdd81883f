// SPDX-License-Identifier: BSD-3-Clause
// One run's evaluator of a lowered problem: variables, views, counts, and the map between what the
// method integrates and what the user sees.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <daedalus/method.hpp>
#include <daedalus/options.hpp>

#include <daedalus/stepper/archive.hpp>
#include <daedalus/stepper/layout.hpp>
#include <daedalus/stepper/outcome.hpp>
#include <daedalus/stepper/views.hpp>
#include "system/counter.hpp"
#include "system/equation_series.hpp"
#include "system/pencil.hpp"

namespace daedalus {

class MechanicalView;
class Invariants;

// Stages of the projection to constraints that a lowered system still has to satisfy.
struct ProjectionResult {
  Outcome outcome = Outcome::ok;
  bool amended = false;
};

class System {
 public:
  virtual ~System();

  Layout layout;
  std::vector<std::string> equations;
  std::shared_ptr<const Variables> variables;  // of the model
  std::shared_ptr<std::vector<double>> modes = std::make_shared<std::vector<double>>();
  std::shared_ptr<const std::vector<double>> parameters;  // of the problem, for events; or null
  Counter counter;
  Failure failure;
  std::vector<std::string> warnings;
  // The same problem in its partitioned view, where F = 0 does not show the hidden constraints that
  // start values have to satisfy; null: no need.
  std::unique_ptr<System> parts;
  std::shared_ptr<Invariants> invariants;  // that project() holds; none: empty
  // The equations of the model along curves, for their derivatives with respect to time; empty:
  // some callable gives values only, or the formulation is not the model itself.
  std::function<std::unique_ptr<EquationSeries>()> along_curves;

  virtual ResidualView* residual_view() { return nullptr; }
  virtual LinearView* linear_view() { return nullptr; }
  virtual PartitionedView* partitioned_view() { return nullptr; }
  virtual MechanicalView* mechanical_view() { return nullptr; }
  virtual std::string_view linear_solver() const { return "dense"; }

  // Allocates what evaluations near `at` need; called once the start values are consistent.
  virtual void prepare(const State& at) = 0;

  // The model variables are the leading coordinates of x unless a formulation says otherwise.
  virtual bool in_model_coordinates() const { return true; }
  virtual void to_model(const State& s, double* y) const;
  virtual void from_model(double t, const double* y, State& s) const;

  // The part of the layout that the model variables cover, and an interpolant cut down to it.
  virtual Layout model_layout() const;
  virtual void to_model(const Interpolant& full, Interpolant& model) const;

  // Formulations in local charts of the constraint manifold. Start values are given and made
  // consistent in another system, that of the model variables, and enter the chart; nullptr: here.
  virtual System* model_system() const { return nullptr; }
  // Gives s and its rates at a consistent state of model_system(), in a new chart if need be.
  virtual Outcome enter(const State& model, State& s);
  virtual long charts() const { return 0; }  // laid so far
  // Asked before a step from s: whether a chart laid there would be clearly better.
  virtual bool chart_degraded(const State& s);
  // Lays a chart at s and gives s and the states before it, newest first, with their rates in its
  // coordinates; `kept` counts those that lie in it.
  virtual Outcome change_chart(State& s, std::span<State> past, int& kept);
  // The coupling of the multipliers eta stays as it is from freeze() on, except for refresh().
  virtual void freeze() {}
  virtual Outcome refresh(const State&) { return Outcome::ok; }
  virtual void archive(Archive& a);  // what of the system decides how a run goes on
  // Branches of callables may depend on variables that did not enter before: whether they do is
  // looked at again. The loop calls this after a rejected step and at some accepted ones.
  virtual void doubt_structure(const State& at) { static_cast<void>(at); }

  // Residuals of the constraints at a state: largest |g| and |G v + g_t| (NaN: no such rows).
  struct ConstraintResidual {
    double position, velocity;
  };
  virtual ConstraintResidual constraint_residual(const State& s);
  // The same with G v' + d^2 g/dt^2|_{v'=0} for the v' that the balance of forces gives, and what
  // round-off of the terms would leave in each. Costs a factorisation: for runs that watch drift.
  struct Drift {
    struct Level {
      double residual, round_off;
    };
    Level position, velocity, acceleration;
  };
  virtual Drift drift(const State& s);
  // Moves the trial onto the constraints that this formulation does not enforce by itself.
  // `weight` is the error scale; automatic projection acts only when the move exceeds `threshold`
  // in that scale.
  virtual ProjectionResult project(State& trial, const Eigen::VectorXd& weight, double threshold);
  virtual bool has_projection() const { return false; }
  // Largest residual of the rows that project() restores; NaN: none.
  virtual double projection_residual(const State& s);

  // Defects: the hook of the perturbation experiments. With rows written as residuals the system
  // solved in step n is F + defect = 0; M x' = f - defect; f - defect and g + defect in the pieces
  // of the mechanical view.
  void set_defect(const Defect* defect) { defect_ = defect; }
  void at_step(long number, double t, double h) {
    step_ = number;
    step_t_ = t;
    step_h_ = h;
  }

 protected:
  const double* defect_rows();  // of the step in progress; nullptr: none
  const Defect* defect_ = nullptr;
  long step_ = 0;
  double step_t_ = 0.0, step_h_ = 0.0;
  Eigen::VectorXd defect_values_;
};

}  // namespace daedalus
