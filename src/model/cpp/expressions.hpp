// SPDX-License-Identifier: BSD-3-Clause
// Expressions of a graph as C++ statements. What is used twice, and what would become long, gets a
// name of its own; so the text grows with the number of nodes, and nothing recurses.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <daedalus/graph.hpp>

#include "model/cpp/names.hpp"

namespace daedalus::model {

class CppExpressions {
 public:
  CppExpressions(const graph::Graph& graph, Identifiers& names, std::string indent)
      : graph_(graph), names_(names), indent_(std::move(indent)) {}

  // The text that stands for a node from now on: inputs, tables.
  void name(const Expr& x, std::string cpp) { known_[x.node()] = std::move(cpp); }
  bool knows(int node) const { return known_.count(node) > 0; }
  void name_table(const graph::Table* table, std::string cpp) { tables_[table] = std::move(cpp); }
  // Must be told of all expressions first: they decide what is used twice.
  void count_uses(std::span<const Expr> roots);
  // Statements that have to come before are added to `out`.
  std::string text(const Expr& x, std::string& out);

 private:
  std::string operation(int node) const;
  std::string input(int node) const;
  std::string operand(std::int32_t node) const { return known_.at(node); }

  const graph::Graph& graph_;
  Identifiers& names_;
  std::string indent_;
  std::unordered_map<int, std::string> known_;
  std::unordered_map<int, int> uses_;
  std::unordered_map<const graph::Table*, std::string> tables_;
};

}  // namespace daedalus::model
