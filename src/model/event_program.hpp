// SPDX-License-Identifier: BSD-3-Clause
// What is evaluated at events and where their values are kept among the modes of a problem:
//   modes of the graph | values of pre() | conditions of when-clauses before | samples taken so far
//   | relations that sleep | time of the last event | whether it was not solved
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "graph/relations.hpp"
#include "model/flat.hpp"
#include "model/formulas.hpp"

namespace daedalus {

struct EventProgram {
  // A crossing function below so many parts of its terms is at zero.
  static constexpr double round_off = 64.0 * std::numeric_limits<double>::epsilon();

  int modes = 0, previous = 0, conditions = 0, samples = 0;
  int first_condition() const { return modes + previous; }
  int first_sample() const { return modes + previous + conditions; }
  int first_sleeper() const { return first_sample() + samples; }
  int last_time() const { return first_sleeper() + static_cast<int>(relations.size()); }
  int unsolved() const { return last_time() + 1; }
  int size() const { return last_time() + (empty() ? 0 : 2); }
  bool empty() const { return relations.empty() && sample.empty(); }

  struct Previous {
    graph::InputKind kind;
    int number;
  };
  std::vector<Previous> previous_of;  // what pre() number k is the value of

  std::vector<graph::Relation> relations;
  std::vector<std::unique_ptr<Formulas>> crossing;  // one row each: left - right
  std::unique_ptr<Formulas> crossings;              // all of them
  std::vector<std::vector<int>> depends;            // by relation: variables or positions in it
  std::vector<char> positions_only;  // of multibody models: no velocities and multipliers
  // By relation: rows of `values` that read it, where nothing else does. Such a relation sleeps
  // while its outcome changes none of them (b in 'a or b' with a true).
  std::vector<std::vector<int>> decides;

  struct Discrete {
    std::string name;
    int mode;
  };
  std::vector<Discrete> discretes;
  std::unique_ptr<Formulas> discrete_starts;

  // Rows: values of discrete equations, conditions of when-clauses, values of all actions.
  std::unique_ptr<Formulas> values;
  std::vector<Discrete> assigned;  // by discrete equation
  struct Action {
    BuiltAction::Kind kind;
    graph::InputKind target_kind;
    int target;
    int row;
    std::string message;
  };
  struct When {
    std::string name;
    int row;    // of its condition
    int first;  // clause whose alternative it is, or -1
    std::vector<Action> actions;
  };
  std::vector<When> whens;
  // Discrete equations (k >= 0) and when-clauses with their alternatives (-1 - number of the first)
  // in an order in which each comes behind those that set what it reads, where there is one.
  std::vector<int> order;

  struct Sample {
    std::string name;
    int mode;
  };
  std::vector<Sample> sample;
  std::unique_ptr<Formulas> sample_times;  // rows: first, period of each
  int initial_mode = -1;
};

EventProgram compile_events(const FlatModel& flat, const FormulaSettings& settings);

}  // namespace daedalus
