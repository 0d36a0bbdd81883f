// SPDX-License-Identifier: BSD-3-Clause
// A first-order model made ready: aliases out, numbers and rows without holes, relations as modes,
// in a graph of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/relations.hpp"
#include "model/builder_data.hpp"

namespace daedalus {

// All rows of a map have one text.
using RowText = std::shared_ptr<const std::string>;

struct FlatRow {
  std::string name;
  RowText text;
  graph::Position position;
};

struct FlatOutput {
  ModelOutput about;
  Expr value;
};

struct FlatAction {
  BuiltAction::Kind kind;
  int target = -1;  // number of the variable or mode
  graph::InputKind target_kind = graph::InputKind::state;
  Expr value;
  std::string message;
};

struct FlatWhen {
  std::string name;
  Expr condition;
  int first = -1;
  std::vector<FlatAction> actions;
};

struct FlatDiscrete {
  std::string name;
  int mode = -1;
  Expr start;
};

// Variables in the order of the problem, differentiated ones first where `algebraic_count` > 0:
// then the others are inputs of kind algebraic, counted from 0.
struct FlatModel {
  std::shared_ptr<graph::Graph> graph = std::make_shared<graph::Graph>();
  std::vector<BuiltVariable> variables;  // starts in the new graph
  int algebraic_count = 0;
  std::vector<FlatRow> rows;
  graph::Outputs residuals;  // relations replaced by modes
  std::vector<FlatRow> initial_rows;
  graph::Outputs initial;
  std::vector<FlatOutput> outputs;
  std::vector<FlatDiscrete> discretes;
  struct DiscreteEquation {
    int mode;
    Expr value;
    std::string name;
  };
  std::vector<DiscreteEquation> discrete_equations;
  std::vector<FlatWhen> whens;
  struct Sample {
    int mode;
    Expr first, period;
    std::string name;
  };
  std::vector<Sample> samples;
  int initial_mode = -1;
  std::vector<StructureReport::AliasEntry> aliases;
  graph::Relations relations;
  std::vector<BuiltItem> invariants;
  BuiltMechanics mechanics;

  int mode_count() const { return graph->count(graph::InputKind::mode); }
  int previous_count() const { return graph->count(graph::InputKind::previous); }
};

struct FlattenOptions {
  bool eliminate_aliases = true;
  std::vector<char> algebraic{};  // by variable of the model without aliases; empty: one vector y
};
FlatModel flatten(const ModelBuilder::Data& built, const FlattenOptions& options);

}  // namespace daedalus
