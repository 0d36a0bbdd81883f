// SPDX-License-Identifier: BSD-3-Clause
// What recorded numbers have written down: an expression graph with the guards under which it
// holds.
//
// A callable is recorded at a point along the branches that it takes there. Every comparison it
// made is a guard; as long as all of them turn out the same at another point, the graph gives there
// what the callable gives. Kinks (abs, min, max, floor) are nodes and need no guard.
#pragma once

#include <span>
#include <vector>

#include <daedalus/graph.hpp>
#include <daedalus/recorded.hpp>

namespace daedalus {

class Tape;

class Recording {
 public:
  Recording() = default;
  // Operations become lines of this tape and no nodes: the graph stays empty.
  explicit Recording(Tape& tape) : tape_(&tape) {}
  Tape* tape() const { return tape_; }

  // An expression that was not zero (true) or zero (false) along the recorded branch.
  struct Guard {
    Expr condition;
    bool outcome;
  };
  // Both sides of a comparison or a kink, with what they were.
  struct Comparison {
    Recorded left, right;
  };

  graph::Graph& graph() { return graph_; }
  Recorded input(double value);  // the next one of kind `state`
  Recorded input(graph::InputKind kind, int number, double value);
  Recorded number(const Expr& x);  // with its value at the recorded point
  Expr expr(const Recorded& x) const;

  const std::vector<Guard>& guards() const { return guards_; }
  const std::vector<Comparison>& comparisons() const { return comparisons_; }
  // The callable looked at values: nobody knows what it did with them, so that the recording holds
  // at its point only.
  bool holds_elsewhere() const { return !values_read_; }

  // sum_i weight_i outputs_i differentiated by the inputs, as further nodes.
  std::vector<Recorded> gradient(std::span<const Recorded> outputs,
                                 std::span<const Recorded> weights,
                                 std::span<const Recorded> inputs);

  void add_guard(const Expr& condition, bool outcome);
  void note_comparison(const Recorded& a, const Recorded& b) { comparisons_.push_back({a, b}); }
  void note_value_read() { values_read_ = true; }

 private:
  double value(int node);

  graph::Graph graph_;
  std::vector<double> values_;        // by node, up to the last one that was asked for
  std::vector<double> input_values_;  // by node
  std::vector<Guard> guards_;
  std::vector<Comparison> comparisons_;
  bool values_read_ = false;
  Tape* tape_ = nullptr;
};

}  // namespace daedalus
