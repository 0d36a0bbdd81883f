// SPDX-License-Identifier: BSD-3-Clause
// The stage of the loop that carries derivatives of the state with respect to parameters: one
// column each. It has equations and matrices of its own. As a rule it works after a step is known
// to be accepted: failed ones cost nothing, and a run with it takes the same steps to the last bit.
// Where the columns have a say in the steps, it works as soon as the states passed their test.
#pragma once

#include <span>
#include <string>

#include <daedalus/event.hpp>
#include <daedalus/stepper.hpp>

#include "integrate/solution_data.hpp"

namespace daedalus {

// A step that will be committed.
struct ColumnStep {
  const State& from;
  const State& to;
  int order;                  // used by the step
  const Interpolant& inside;  // of the states; h = 0: none
  Stepper& stepper;
  const Eigen::VectorXd& scale;  // error scale of the states, tangent coordinates
};

// What acted at one time, before and after: model coordinates.
struct ColumnJump {
  double t;
  std::span<const int> events;  // whose handlers were called, in their order; empty: a break time
  const Eigen::VectorXd& before;
  const State& after;  // of the run, consistent
  const std::vector<double>& modes_before;
};

class Columns {
 public:
  virtual ~Columns() = default;
  // At the consistent start. Not empty: why derivatives do not exist.
  virtual std::string start(const State& s) = 0;
  // Before the commit; repeatable.
  virtual Outcome advance(const ColumnStep& step) = 0;
  // After a failed advance(): no derivative from here on, whose reason becomes a warning.
  virtual void give_up() = 0;
  // They decide about steps: by errors of theirs (tested), or by failing (coupled).
  virtual bool tested() const = 0;
  virtual bool coupled() const = 0;
  // Weighted error of the worst column after advance(), had the step been of this order; 1 is the
  // tolerance, 0: none was formed.
  virtual double error(int order) const = 0;
  virtual void refused() = 0;                // the step, for the error of a column
  virtual std::string limiting() const = 0;  // which of them decided the steps; empty: none
  virtual void commit() = 0;
  // Fills time_derivative and total of an event at t in the step at hand.
  virtual void locate(int event, double t, EventRecord& record) = 0;
  virtual std::string jump(const ColumnJump& jump) = 0;
  virtual void take_over(Columns& before, const State& s) = 0;  // change of method
  virtual void archive(Archive& a) = 0;
  virtual void concluded() = 0;  // the run, whatever its status: the last warnings
  virtual std::vector<std::string> take_warnings() = 0;

  // Output, in model coordinates: beside a reported state at t, over the step, at both ends.
  virtual void report(double t, SensitivityData& data) = 0;
  virtual void piece(SensitivityData& data) = 0;
  virtual void begin(SensitivityData& data) = 0;
  virtual void end(SensitivityData& data) = 0;
  virtual const Eigen::MatrixXd& now() const = 0;
};

}  // namespace daedalus
