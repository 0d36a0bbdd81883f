// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of solutions with respect to parameters and start values (forward columns), asked for
// by Options::sensitivities.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solution.hpp>

namespace daedalus {

// Problems that differ by the values of their parameters, where these are constants inside the
// callables and no inputs (catalogue entries; Entry::apply gives it). Derivatives by parameters
// come from problems built for values nearby, evaluated at the same point.
struct ParameterFamily {
  std::vector<Parameter> parameters{};
  // Values in the order of `parameters`.
  std::function<Problem(const std::vector<double>&)> problem{};
  std::function<std::vector<Event>(const std::vector<double>&)> events{};  // may be empty
};

// exact: over dual numbers; rebuilt: differences of problems built for values nearby, at the same
// point; differences: of callables that are not generic.
enum class DerivativeKind { exact, rebuilt, differences };
std::string_view to_string(DerivativeKind kind);
std::string_view to_string(SensitivityMethod method);

struct SensitivityColumn {
  std::string name{};  // of a parameter, a variable, or direction 1, 2, ...
  enum class Kind { parameter, start, direction } kind = Kind::parameter;
  double value = 0.0;    // of the parameter or start value; 0 for a direction
  double typical = 1.0;  // size of a meaningful change
  DerivativeKind derivative = DerivativeKind::exact;
};

// How the columns of a run came about.
struct SensitivityStory {
  std::vector<SensitivityColumn> columns{};
  std::vector<std::string> variables{};  // of the rows: model variables, tangent coordinates
  SensitivityMethod method = SensitivityMethod::automatic;
  std::string scheme{};  // in words: "bdf", "collocation", "rosenbrock"
  bool error_test = false;
  double error_estimate = 0.0;  // largest weighted one, 1 is the tolerance; 0: none was formed
  long steps = 0, factorisations = 0, solves = 0, directional_evaluations = 0;
  double seconds = 0.0;
};

// dx/dp at one time: rows are the model variables in tangent coordinates (the same as the variables
// except for positions on groups, where q (+) s dp is meant), columns as in SensitivityStory.
class Sensitivity {
 public:
  Sensitivity(std::shared_ptr<const SensitivityStory> story, std::vector<VariableClass> classes,
              double t, Eigen::MatrixXd matrix);
  double t() const { return t_; }
  const Eigen::MatrixXd& matrix() const& { return matrix_; }
  Eigen::MatrixXd matrix() const&& { return matrix_; }
  // Throws InvalidArgument with the names there are.
  double operator()(std::string_view variable, std::string_view column) const;
  Eigen::MatrixXd of(VariableClass c) const;
  const std::vector<SensitivityColumn>& columns() const& { return story_->columns; }
  std::vector<SensitivityColumn> columns() const&& { return story_->columns; }
  const std::vector<std::string>& variables() const& { return story_->variables; }
  std::vector<std::string> variables() const&& { return story_->variables; }
  // p_i dx/dp_i: the change of x for a change of p by 100 %; typical(p_i) where p_i is 0.
  Eigen::MatrixXd scaled() const;

 private:
  std::shared_ptr<const SensitivityStory> story_;
  std::vector<VariableClass> classes_;
  double t_;
  Eigen::MatrixXd matrix_;
};

// Columns at the end of the interval beside central differences of two runs each, with the
// tolerances of `options` and a hundredth of them.
struct SensitivityCheck {
  Eigen::MatrixXd columns{}, differences{};
  std::vector<std::string> variables{}, names{};
  double worst = 0.0;  // largest |difference| over (|column| + |largest of the column|)
  int variable = -1, column = -1;
  std::string message{};  // one sentence that names the worst entry
};
SensitivityCheck check_sensitivities(const Problem& problem, Interval interval,
                                     const Options& options);

}  // namespace daedalus
