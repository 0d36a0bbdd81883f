// SPDX-License-Identifier: BSD-3-Clause
// Writes a formula from pieces without recursion: deep sums would exhaust the stack.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::graph {

// Who binds more tightly; parentheses stand around what binds less tightly than its place asks.
namespace binding {
enum : int { open, choice, disjunction, conjunction, negation, relation, sum, term, power, atom };
}

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph) {}

  // `expand(node)` puts the pieces of a node by put(). The text of `node`.
  template <class Expand>
  std::string print(int node, std::size_t max_length, Expand&& expand) {
    std::string out;
    stack_.assign(1, {node, binding::open, {}});
    while (!stack_.empty()) {
      Piece piece = std::move(stack_.back());
      stack_.pop_back();
      if (piece.node < 0) {
        out += piece.literal;
      } else {
        wanted_ = piece.binding;
        pending_.clear();
        expand(piece.node);
        stack_.insert(stack_.end(), std::make_move_iterator(pending_.rbegin()),
                      std::make_move_iterator(pending_.rend()));
      }
      if (out.size() > max_length) {
        out.resize(max_length);
        return out + "...";
      }
    }
    return out;
  }

  const Graph& graph() const { return graph_; }
  int wanted() const { return wanted_; }
  void put(std::string literal) { pending_.push_back({-1, 0, std::move(literal)}); }
  void put(int node, int wanted_binding) { pending_.push_back({node, wanted_binding, {}}); }
  void put(int left, int left_binding, std::string_view between, int right, int right_binding) {
    put(left, left_binding);
    put(std::string(between));
    put(right, right_binding);
  }
  // Parentheses around all pieces of the present node if it binds less tightly than wanted.
  void enclose(int own, std::string_view left, std::string_view right) {
    if (own >= wanted_) return;
    pending_.insert(pending_.begin(), Piece{-1, 0, std::string(left)});
    put(std::string(right));
  }

 private:
  struct Piece {
    int node;
    int binding;
    std::string literal;
  };
  const Graph& graph_;
  std::vector<Piece> stack_, pending_;
  int wanted_ = 0;
};

// How tightly the text of a node binds; -2*x is a signed term and binds like a sum.
int binding_of(const Graph& graph, int node);
std::string number_text(double value);
std::string input_name(const Graph& graph, int node);  // without der() and pre()

}  // namespace daedalus::graph
