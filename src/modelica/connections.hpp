// SPDX-License-Identifier: BSD-3-Clause
// Connection sets: what is joined by connect, seen from inside or outside of its component.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "modelica/context.hpp"
#include "modelica/flat_model.hpp"

namespace daedalus::modelica {

class Connections {
 public:
  explicit Connections(Context& c) : c_(c) {}

  void connect(const ast::Equation& e, const Env& env);
  // Equations of all sets; flows that nothing is connected to are zero.
  std::vector<FlatEquation> equations(Instance& root);

 private:
  struct Node {
    Instance* leaf;
    int element;
    bool outside;
    auto operator<=>(const Node&) const = default;
  };
  struct Member {
    Node node;
    int parent;  // of the union-find forest
    Origin origin;
  };
  // One side of a connection: all elements of an array, or those that subscripts choose.
  struct Side {
    bool outside;
    std::optional<std::vector<int>> elements;
  };
  int member(Instance* leaf, int element, bool outside, const Origin& origin);
  int root(int i);
  void join(Instance& a, const Side& side_a, Instance& b, const Side& side_b,
            const Origin& origin);
  void join_leaves(Instance& a, const Side& side_a, Instance& b, const Side& side_b,
                   const Origin& origin);
  [[noreturn]] void mismatch(const Instance& a, const Instance& b, const Origin& origin);
  void potentials(const std::vector<int>& set, std::vector<FlatEquation>& out);
  void flows(const std::vector<int>& set, std::vector<FlatEquation>& out);
  void unconnected(Instance& i, std::vector<FlatEquation>& out);
  void free_flow(Instance& leaf, std::vector<FlatEquation>& out);

  Context& c_;
  std::map<Node, int> numbers_;
  std::vector<Member> members_;
};

}  // namespace daedalus::modelica
