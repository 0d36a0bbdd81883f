// SPDX-License-Identifier: BSD-3-Clause
// What a ModelBuilder has collected.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <daedalus/model.hpp>

namespace daedalus {

struct BuiltVariable {
  std::string name;
  VariableOptions options;
};

struct BuiltParameter {
  std::string name;
  double value = 0.0;
  ParameterOptions options;
};

struct BuiltDependent {
  std::string name;
  Expr value;
  ParameterOptions options;
};

// One row, or all rows of one map.
struct BuiltEquation {
  ItemOptions options;
  Expr left, right;  // of a single row
  std::string text;  // as it is shown; empty: as its sides are
  int map = -1;      // number of the map; its rows follow each other from `row` on
  int row = 0, rows = 1;
};

struct BuiltAction {
  enum class Kind { reinit, set, stop } kind;
  Expr target, value;
  std::string message;
};

struct BuiltWhen {
  Expr condition;
  ItemOptions options;
  std::vector<BuiltAction> actions;
  int first = -1;  // the clause whose `otherwise` this one is; -1: a clause of its own
};

struct BuiltDiscrete {
  std::string name;
  VariableOptions options;
  Expr input;
};

struct BuiltItem {
  std::string name;
  Expr left, right;
  ItemOptions options;
};

struct BuiltSample {
  Expr first, period, input;
};

// Of multibody models.
struct BuiltMechanics {
  struct Mass {
    int row, column;
    Expr value;
  };
  std::vector<BuiltVariable> q, v, c;
  std::vector<Mass> mass;
  std::vector<Expr> force;                         // by coordinate
  std::vector<Expr> dynamics;                      // by dynamic variable
  std::vector<BuiltItem> holonomic, nonholonomic;  // left: the row; name: of its multiplier
  bool empty() const { return q.empty(); }
};

struct ModelBuilder::Data {
  std::string name, title;
  Interval interval{0.0, 1.0};
  std::function<Scene(const Values&)> scene;
  std::shared_ptr<graph::Graph> graph = std::make_shared<graph::Graph>();

  std::vector<BuiltVariable> variables;    // by number of the input of kind state
  std::vector<BuiltParameter> parameters;  // by number of the input of kind parameter
  std::vector<BuiltDependent> dependents;
  std::vector<BuiltDiscrete> discretes;
  std::unordered_map<std::string, Expr> named;
  std::vector<std::string> order_of_names;

  graph::Outputs residuals;  // left - right
  std::vector<BuiltEquation> equations;
  std::vector<BuiltItem> initial_equations, discrete_equations, outputs, invariants;
  struct Requirement {
    Expr condition;
    std::string message;
  };
  std::vector<Requirement> requirements;
  std::vector<BuiltWhen> whens;
  std::vector<BuiltSample> samples;
  Expr initial;  // the input that is one while start values are found; a number: not in use
  BuiltMechanics mechanics;

  std::vector<Diagnostic> mistakes;  // found while building

  void take_name(std::string_view name, const Expr& value, const graph::Position& position);
  Diagnostic::Place place(const graph::Position& position, std::string text) const;
  void mistake(std::string message, const graph::Position& position, std::string text,
               std::vector<std::string> names = {});
};

// The text of a row as the user wrote it, shortened: "x^2 + y^2 = L^2".
std::string row_text(const Expr& left, const Expr& right, std::size_t max_length = 120);

}  // namespace daedalus
