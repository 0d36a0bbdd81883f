// SPDX-License-Identifier: BSD-3-Clause
// Relations: comparisons that depend on continuous inputs become modes, whose values are held
// during a step and changed where the crossing function left - right is located at zero.
#pragma once

#include <string>
#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::graph {

struct Relation {
  Op op;           // less, less_equal, greater or greater_equal: how left compares with right
  int mode;        // number of the input of kind `mode` that holds its outcome
  bool time_only;  // the crossing depends on time, parameters and modes alone: a time event
  std::string text;
  Position position;
};

struct Relations {
  std::vector<Relation> all;
  Outputs crossings;  // row i: left - right of relation i, of maps as maps
};

// Replaces relations outside no_event in `outputs` by modes numbered from `first_mode` on, and
// those of earlier calls again by the same modes. == and <> make no events: they are compared as
// they stand. `outputs` must not be lowered yet.
class RelationTable {
 public:
  RelationTable(Graph& graph, int first_mode) : graph_(graph), next_mode_(first_mode) {}
  Outputs extract(const Outputs& outputs);
  Expr extract(const Expr& x);
  // Of what is evaluated at events only: relations that are known already; the others are compared
  // there as they stand and make no events.
  Expr extract_known(const Expr& x);
  const Relations& relations() const { return relations_; }

 private:
  struct Known {
    int node, mode;
  };
  Expr mode_of(int node, bool time_only);
  Map extract(const Map& map);
  bool is_known(int node) const;

  Graph& graph_;
  int next_mode_;
  std::vector<Known> known_;
  bool only_known_ = false;
  Relations relations_;
};

// The outcome of a relation at this value of its crossing function.
bool outcome(Op op, double crossing);

}  // namespace daedalus::graph
