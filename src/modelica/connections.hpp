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
    bool outside;
    auto operator<=>(const Node&) const = default;
  };
  struct Member {
    Node node;
    int parent;  // of the union-find forest
    Origin origin;
  };
  int member(Instance* leaf, bool outside, const Origin& origin);
  int root(int i);
  void join(Instance& a, bool a_outside, Instance& b, bool b_outside, const Origin& origin);
  void join_leaves(Instance& a, bool a_outside, Instance& b, bool b_outside, const Origin& origin);
  [[noreturn]] void mismatch(const Instance& a, const Instance& b, const Origin& origin);
  void add_missing(Instance& bus, Instance& other, const ast::Equation& e);
  void potentials(const std::vector<int>& set, std::vector<FlatEquation>& out);
  void flows(const std::vector<int>& set, std::vector<FlatEquation>& out);
  void unconnected(Instance& i, std::vector<FlatEquation>& out);
  void free_flow(Instance& leaf, std::vector<FlatEquation>& out);

  Context& c_;
  std::map<Node, int> numbers_;
  std::vector<Member> members_;
};

}  // namespace daedalus::modelica
