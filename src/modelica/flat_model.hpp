// SPDX-License-Identifier: BSD-3-Clause
// The flat model: variables, equations, when-clauses and start conditions of all components, each
// with where it comes from. Formulas live in a graph of its own, whose states are numbered like
// `variables`.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <daedalus/graph.hpp>

#include "modelica/instance.hpp"

namespace daedalus::modelica {

struct Origin {
  enum class Kind { equation, binding, connection, flow_balance, algorithm } kind = Kind::equation;
  Place place;
  std::string component;  // path of the instance; empty: the model itself
  std::string text;       // as written, with loop values
};

struct FlatVariable {
  std::string name, comment, unit, display_unit;
  Base base = Base::real;
  const ast::Class* type = nullptr;
  Expr value;  // its input
  Expr start = 0.0;
  bool discrete = false, fixed = false, explicit_start = false, protected_ = false, shown = true;
  bool input = false, unknown_parameter = false;
  double nominal = 1.0;
  double min = -std::numeric_limits<double>::infinity(),
         max = std::numeric_limits<double>::infinity();
  Place place;
};

struct FlatParameter {
  std::string name, comment, unit;
  Expr value;
  bool settable = false, structural = false, protected_ = false;
  Base base = Base::real;
  const ast::Class* type = nullptr;
  double number = 0.0;  // of settable and structural ones
  double min = -std::numeric_limits<double>::infinity(),
         max = std::numeric_limits<double>::infinity();
  Place place;
};

struct FlatEquation {
  Expr left, right;
  Origin origin;
  bool discrete = false;
};

// Equal equations over index tables.
struct FlatFamily {
  std::shared_ptr<const graph::Kernel> kernel;
  int count = 0;
  std::vector<graph::MapArgument> arguments;
  Origin origin;
};

struct FlatAction {
  enum class Kind { set, reinit, stop } kind = Kind::set;
  Expr target, value;
  std::string message;
  Place place;
};

struct FlatBranch {
  Expr condition;
  std::vector<FlatAction> actions;
  Origin origin;
};

struct FlatRequirement {
  Expr condition;
  std::string message;
  Place place;
};

struct FlatSample {
  Expr first, period, input;
};

// delay(value, time): `history` is an input that keeps its number, from 1 (past.hpp).
struct FlatDelay {
  Expr value, history;
  double time;
  int number;
};

struct FlatModel {
  std::string name;
  std::shared_ptr<graph::Graph> graph = std::make_shared<graph::Graph>();
  const ast::Class* cls = nullptr;
  std::string comment;
  std::vector<FlatVariable> variables;  // continuous ones by number of their input, then discrete
  std::vector<FlatVariable> discretes;
  std::vector<FlatParameter> parameters;
  std::vector<FlatEquation> equations, initial_equations;
  std::vector<FlatFamily> families;
  std::vector<std::vector<FlatBranch>> whens;  // when and its elsewhen
  std::vector<FlatRequirement> requirements;
  std::vector<FlatSample> samples;
  std::vector<FlatDelay> delays;
  Expr initial;               // the input that is one while start values are found; a number: none
  Expr homotopy_share = 1.0;  // an input: used
  // Number of the variable whose input this is; -1: it is none.
  int number_of(const Expr& x) const {
    return !x.is_number() && graph->is_input(x) && graph->kind(x.node()) == graph::InputKind::state
               ? graph->number(x.node())
               : -1;
  }
  double start_time = 0.0, stop_time = 1.0, tolerance = 1e-6, interval = 0.0;
  bool has_tolerance = false;
};

// Nodes of all formulas of equations, clauses and requirements.
std::vector<int> roots_of(const FlatModel& flat);

// What the compilation is asked for.
struct FlattenOptions {
  std::string class_name;             // full name
  std::map<std::string, double> set;  // values of structural parameters
  bool roll = true;                   // keep loops of many passes rolled
};

}  // namespace daedalus::modelica
