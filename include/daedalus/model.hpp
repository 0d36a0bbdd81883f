// SPDX-License-Identifier: BSD-3-Clause
// Models as data. A ModelBuilder collects variables, parameters, equations and events as formulas
// (<daedalus/expr.hpp>); what comes out is a Problem with names, patterns and exact derivatives,
// like one written in C++, and every command and analysis takes it.
//
//   ModelBuilder m("oscillator");
//   const Expr k = m.parameter("k", 4.0);
//   const Expr x = m.variable("x", {.start = 1.0, .fixed = true}), v = m.variable("v");
//   m.equation(der(x), v);
//   m.equation(der(v), -k * x);
//   solve(m.problem(), {0.0, 10.0});
//
// Rules.
// - Names are the user's, any text; variables, parameters, discrete variables and outputs share
//   one name space. What is built twice under one name is refused.
// - Parameters are inputs of the compiled model: Model::problem({{"k", 5.0}}) builds no graph anew.
//   Start values, dependent parameters, events and the mass matrix may depend on parameters.
// - A comparison of continuous quantities is a relation: held during a step, located, and changed
//   at an event, unless it stands in no_event().
// - Mistakes of the model are collected by check(); model() and problem() throw ModelError with
//   all of them.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/entry.hpp>
#include <daedalus/expr.hpp>
#include <daedalus/graph.hpp>
#include <daedalus/model_report.hpp>

namespace daedalus {

class Model;

struct VariableOptions {
  Expr start = 0.0;      // a number or an expression of parameters
  bool fixed = false;    // the start value holds; otherwise a guess
  double nominal = 1.0;  // size that is large for this variable: scale of atol
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string unit{}, description{};
  graph::Position position{};
};

struct ParameterOptions {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string unit{}, description{};
  graph::Position position{};
};

// Of equations, events and outputs.
struct ItemOptions {
  std::string name{};  // empty: its text, shortened
  std::string unit{}, description{};
  graph::Position position{};
};

struct ModelOptions {
  bool machine_code = true;       // where the build and the environment (DAEDALUS_JIT) have it
  bool eliminate_aliases = true;  // of x = y, x = -y, x = number one variable goes
  std::string form = "auto";      // implicit, mass-matrix, semi-explicit: as asked for
};

// What happens when a condition becomes true. Made by ModelBuilder::when and chained:
//   m.when(h < 0.0).reinit(v, -0.7 * pre(v)).set(count, pre(count) + 1.0);
class WhenClause {
 public:
  // The differentiated variable continues at the new value. Right-hand sides of one event are all
  // evaluated before any of them is assigned.
  WhenClause& reinit(const Expr& variable, const Expr& value);
  WhenClause& set(const Expr& discrete, const Expr& value);
  WhenClause& stop(std::string_view message = {});  // ends the run, successfully
  // Tried if the condition of this one does not act at the event.
  WhenClause otherwise(const Expr& condition, ItemOptions options = {});

 private:
  friend class ModelBuilder;
  WhenClause(class ModelBuilder& builder, int number) : builder_(&builder), number_(number) {}
  class ModelBuilder* builder_;
  int number_;
};

// A coordinate of a multibody model and its rate, q' = v.
struct Coordinate {
  Expr q, v;
};

class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name);
  ~ModelBuilder();
  ModelBuilder(ModelBuilder&&) noexcept;
  ModelBuilder& operator=(ModelBuilder&&) noexcept;

  graph::Graph& graph();  // for tables, external functions, files and positions
  const std::string& name() const;
  void set_title(std::string title);
  void set_interval(Interval interval);  // of time, for Entry; otherwise 0 to 1
  void set_scene(std::function<Scene(const Values&)> scene);

  // ---- names ----
  Expr time();
  Expr variable(std::string_view name, VariableOptions options = {});
  Expr parameter(std::string_view name, double value, ParameterOptions options = {});
  // Follows from other parameters; cannot be set from outside.
  Expr dependent_parameter(std::string_view name, const Expr& value, ParameterOptions options = {});
  // Constant between events; changed by when-clauses or by a discrete equation.
  Expr discrete(std::string_view name, VariableOptions options = {});
  // Several variables name[1] .. name[count] with consecutive numbers, for maps: the first one.
  // Node of number i: graph().input(InputKind::state, first + i).
  int variables(std::string_view name, int count, VariableOptions options = {});
  Expr variable_at(int number);  // by the number that `variables` counts from
  int number_of(const Expr& variable) const;
  // A variable, parameter, discrete variable, or output by name; nothing: no such name.
  std::optional<Expr> find(std::string_view name) const;
  std::vector<std::string> names() const;  // all of them, for 'did you mean'

  // ---- equations ----
  void equation(const Expr& left, const Expr& right, ItemOptions options = {});
  // One equation per instance and result of the kernel, 0 = result. Arguments read variables
  // (InputKind::state), their derivatives, parameters, values or a scalar expression.
  // `rows` of the map need not be given.
  void equations(std::shared_ptr<const graph::Kernel> kernel, int count,
                 std::vector<graph::MapArgument> arguments, ItemOptions options = {});
  void initial_equation(const Expr& left, const Expr& right, ItemOptions options = {});
  // Equations that hold depending on a condition: then-rows and else-rows in equal numbers; the
  // structure may differ, it is analysed per mode.
  struct Row {
    Expr left, right;
  };
  void if_equations(const Expr& condition, std::span<const Row> then_rows,
                    std::span<const Row> else_rows, ItemOptions options = {});
  // Checked wherever the model is evaluated: where it fails the step is rejected, and the run ends
  // with the message if that does not help.
  void require(const Expr& condition, std::string_view message, ItemOptions options = {});

  // ---- events ----
  WhenClause when(const Expr& condition, ItemOptions options = {});
  // discrete = value, evaluated at every event until nothing changes; pre() gives the value before.
  void discrete_equation(const Expr& discrete, const Expr& value, ItemOptions options = {});
  // True at the times first, first + period, ...; both are expressions of parameters.
  Expr sample(const Expr& first, const Expr& period);
  Expr initial();  // true while start values are found, false afterwards

  // ---- results ----
  void output(std::string_view name, const Expr& value, ItemOptions options = {});

  // ---- multibody models: M(t, q) v' = f(t, q, v, lambda, c) - G^T lambda, 0 = g(t, q) ----
  // Such a model has coordinates in place of variables, and no equations.
  Coordinate coordinate(std::string_view position, std::string_view velocity,
                        VariableOptions options = {}, VariableOptions velocity_options = {});
  // Entry of the symmetric mass matrix, by its coordinates; adds to what is there.
  void mass(const Coordinate& row, const Coordinate& column, const Expr& value);
  void force(const Coordinate& row, const Expr& value);  // adds to what is there
  // 0 = g(t, q); gives its multiplier, which may enter forces.
  Expr constraint(const Expr& g, std::string_view multiplier, ItemOptions options = {});
  // 0 = A(t, q) v + a(t, q), an expression that is linear in velocities.
  Expr nonholonomic(const Expr& row, std::string_view multiplier, ItemOptions options = {});
  // c' = value.
  Expr dynamic_variable(std::string_view name, VariableOptions options = {});
  void dynamics(const Expr& variable, const Expr& value);
  // A quantity that stays constant along exact solutions.
  void invariant(std::string_view name, const Expr& value);

  // ---- what comes of it ----
  std::vector<Diagnostic> check() const;  // in the order of the model; empty: nothing to say
  std::shared_ptr<const Model> model(const ModelOptions& options = {}) const;  // throws ModelError
  Problem problem(const Values& values = {}) const;                            // of model()

  struct Data;
  const Data& data() const { return *data_; }

 private:
  friend class WhenClause;
  std::unique_ptr<Data> data_;
};

// A compiled model: immutable, shared by threads, cheap to give other parameter values.
class Model : public std::enable_shared_from_this<Model> {
 public:
  ~Model();
  const std::string& name() const;
  std::string form() const;  // implicit, mass-matrix, semi-explicit, multibody
  const std::vector<Parameter>& parameters() const;  // that can be set, with their defaults
  // With start values, modes and mass matrix of these parameters; unknown names: InvalidArgument.
  Problem problem(const Values& values = {}) const;
  std::vector<Event> events(const Values& values = {}) const;
  // Sets events, start strategy and fixed variables.
  void apply(Options& options, const Values& values = {}) const;

  const std::vector<ModelOutput>& outputs() const;
  void evaluate_outputs(const Values& values, const StateView& state, Out out) const;
  const StructureReport& structure() const;         // counts, aliases, index, hidden constraints
  std::vector<std::string> equation_texts() const;  // as solved, in the order of the problem
  Entry entry() const;

  struct Data;
  explicit Model(std::shared_ptr<const Data> data);
  const Data& data() const { return *data_; }

 private:
  std::shared_ptr<const Data> data_;
};

// The value of pre() one event before is not this one, and the condition is true: becomes true.
Expr edge(const Expr& discrete);    // discrete and not pre(discrete)
Expr change(const Expr& discrete);  // discrete <> pre(discrete)

}  // namespace daedalus
