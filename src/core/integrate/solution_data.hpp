// SPDX-License-Identifier: BSD-3-Clause
// What a run leaves behind; owned by Solution.
#pragma once

#include <daedalus/sensitivity.hpp>
#include <daedalus/solution.hpp>

#include <daedalus/stepper/layout.hpp>

namespace daedalus {

// Warnings that a run gives once, whatever follows.
enum class Once : unsigned {
  error_left_behind,
  algebraic_solved_again,
  rough_between_steps,
  jump_accepted,
  errors_add_up,
  round_off_in_test,
  ran_away,
  event_at_start,
  beyond_resolution
};

// Columns over one step: sum_j c_j theta^j, theta = (t - t0) / h; a matrix stands as one vector.
struct ColumnPiece {
  double t0 = 0.0, h = 0.0;
  Eigen::MatrixXd c;
};

// Derivatives beside the states: matrices of one size, one per reported state.
struct SensitivityData {
  std::shared_ptr<const SensitivityStory> names;  // as the run began; null: none were asked for
  SensitivityStory story;
  std::vector<VariableClass> classes;  // of the rows
  std::vector<double> values;
  std::vector<ColumnPiece> pieces;  // with dense output
  Eigen::MatrixXd start, end;
};

struct SolutionData {
  std::shared_ptr<const Variables> variables;
  Layout layout;                          // of the model variables
  std::vector<double> times;              // reported states
  std::vector<double> states;             // contiguous, variables->size() numbers per time
  std::vector<Interpolant> interpolants;  // dense output, one per step, ascending or descending
  std::vector<EventRecord> events;
  std::vector<DriftSample> drift;
  Statistics statistics;
  MethodChoice choice;
  Status status = Status::success;
  std::string message;
  std::vector<std::string> warnings;
  unsigned said = 0;  // one bit per Once
  std::exception_ptr exception;
  double start_time = 0.0, end_time = 0.0;
  Eigen::VectorXd start, end;
  SensitivityData sensitivities;
};

}  // namespace daedalus
