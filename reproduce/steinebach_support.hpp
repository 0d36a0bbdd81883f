// SPDX-License-Identifier: BSD-3-Clause
// What the experiments on Steinebach (1988) share: his tables as data, one run with his settings,
// and the comparison of a run with a column of a table.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catalogue/catalogue.hpp>
#include <daedalus/method.hpp>
#include <daedalus/solve.hpp>

#include <daedalus/stepper.hpp>
#include "reproduce/experiment.hpp"
#include "reproduce/support.hpp"
#include "system/system.hpp"

namespace daedalus::experiments::steinebach {

using Json = nlohmann::ordered_json;

inline constexpr const char* source = "Steinebach (1988), report 29, Kaiserslautern";

// Not stated in the report; four increments between 1e-8 and 1e-7 give nearly the same tables.
inline constexpr double increment = 1.5e-8;
// "depends on the machine precision and the length of the interval"; this comes closest.
inline constexpr double min_step_share = 1.1e-15;
// IER = 2: the reciprocal condition is lost against 1.
inline constexpr double singular_share = 2.2e-16;

// One column of a table. Without `method` it cannot be run here.
struct Column {
  std::string label;   // the report's name
  std::string method;  // ours
  std::string formulation = "auto";
  double seconds = 0.0, last_time = 0.0;
  long accepted = 0, rejected = 0, total = 0, own = 0;  // own: calls by the method itself
  std::vector<double> errors{};                         // as printed; 0: not compared
};

struct Table {
  std::string name;
  std::string problem;
  double t_end = 0.0, tolerance = 0.0, first_step = 1e-3;
  int unknowns = 0;  // with the time where the problem depends on it
  bool relative_errors = false;
  std::vector<Column> columns{};
};

// The tables of section 8.1: 1a, 1b, 1c, 2b with tolerances 1e-2 and 1e-6, 3b.
const std::vector<Table>& example_tables();
const Table& example_table(const std::string& name);

// What a run left behind, counted as the report does: `own` is the number of evaluations by the
// method, `total` adds one per unknown for every Jacobian.
struct Run {
  Status status = Status::success;
  double t = 0.0;
  long accepted = 0, rejected = 0, total = 0, own = 0, jacobians = 0;
  Eigen::VectorXd end{};
};

Options report_options(const std::string& method, double tolerance, double first_step = 1e-3);
Run run(const Table& table, const Column& column);

// The exact solution or the reference at the end, in the order of the variables.
Eigen::VectorXd exact_at(const std::string& problem, double t);
Eigen::VectorXd errors_of(const Table& table, const Run& run);

// Whether all errors agree with the printed ones to one unit of their second digit.
bool same_error(double measured, double printed);
bool same_errors(const Table& table, const Column& column, const Run& run);
bool same_steps(const Column& column, const Run& run);

// Why a part of a column does not agree: key "label/part" with part steps, calls, errors or end.
using Reasons = std::vector<std::pair<std::string, std::string>>;
// All claims of a table: every column that can be run, the others and the seconds as open claims.
void compare(const Table& table, const std::string& id, const Reasons& reasons, Context& context,
             std::vector<Claim>& claims);
// The columns of DAE4S and DASSL, and the seconds.
void list_open(const Table& table, const std::string& id, std::vector<Claim>& claims);

// A prepared system with its stepper at the consistent start: for single steps, embedded solutions
// and control loops other than the library's.
class Bench {
 public:
  Bench(const Method& method, const Problem& problem, const std::string& formulation = "",
        double increment_of_differences = 0.0);
  // One attempt from the present state; false when it failed. `trial`, `estimate` then hold.
  bool attempt(double h);
  void accept(bool embedded = false);                 // takes the trial, or the embedded solution
  Eigen::VectorXd state() const { return state_.x; }  // in coordinates of the system
  Eigen::VectorXd model_state() const;                // in those of the model
  Eigen::VectorXd trial() const { return stepper_->trial().x; }
  const Eigen::VectorXd& estimate() const { return estimate_; }  // trial minus embedded solution
  int differential_count() const { return differential_; }

 private:
  Method method_;
  std::shared_ptr<const Problem> problem_;
  std::unique_ptr<System> system_;
  std::unique_ptr<Stepper> stepper_;
  State state_;
  Eigen::VectorXd weight_, estimate_;
  long number_ = 0;
  int differential_ = 0;
};

const Method& method(const std::string& name);

}  // namespace daedalus::experiments::steinebach
