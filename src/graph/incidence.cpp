// SPDX-License-Identifier: BSD-3-Clause
#include "graph/incidence.hpp"

#include <algorithm>

#include <daedalus/graph_table.hpp>

#include "graph/reach.hpp"

namespace daedalus::graph {
namespace {

// Numbers of inputs of one kind that a root reaches through operands with a slope.
class InputSearch {
 public:
  InputSearch(const Graph& graph, InputKind kind)
      : graph_(graph), kind_(kind), seen_(static_cast<std::size_t>(graph.size()), -1) {}

  std::vector<int> operator()(int root, int stamp) {
    std::vector<int> found;
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const int node = stack_.back();
      stack_.pop_back();
      if (seen_[static_cast<std::size_t>(node)] == stamp) continue;
      seen_[static_cast<std::size_t>(node)] = stamp;
      if (graph_.node(node).op == Op::input && graph_.kind(node) == kind_)
        found.push_back(graph_.number(node));
      const auto operands = graph_.operands(node);
      for (std::size_t k = 0; k < operands.size(); ++k)
        if (carries_slope(graph_, node, static_cast<int>(k))) stack_.push_back(operands[k]);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  const Graph& graph_;
  InputKind kind_;
  std::vector<int> seen_, stack_;
};

}  // namespace

bool carries_slope(const Graph& graph, int node, int operand) {
  switch (graph.node(node).op) {
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::trunc:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
      return false;
    case Op::select:
    case Op::assertion:
      return operand > 0;
    case Op::copysign:
      return operand == 0;
    case Op::table: {
      auto order = graph.table_order(node);
      return !graph.table_of(node).vanishes(order[static_cast<std::size_t>(operand)] + 1);
    }
    default:
      return true;
  }
}

std::vector<std::vector<int>> incidence(const Graph& graph, const Outputs& outputs,
                                        InputKind kind) {
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(outputs.count));
  const auto add = [&](int row, const std::vector<int>& columns) {
    auto& r = rows[static_cast<std::size_t>(row)];
    r.insert(r.end(), columns.begin(), columns.end());
  };
  InputSearch search(graph, kind);
  int stamp = 0;
  for (const auto& s : outputs.single)
    if (!s.value.is_number()) add(s.row, search(s.value.node(), stamp++));
  for (const Map& map : outputs.maps) {
    InputSearch inside(map.kernel->graph(), InputKind::argument);
    for (std::size_t r = 0; r < map.rows.size(); ++r) {
      const Expr& result = map.kernel->results()[r];
      if (result.is_number()) continue;
      for (const int k : inside(result.node(), static_cast<int>(r))) {
        const MapArgument& a = map.arguments[static_cast<std::size_t>(k)];
        if (a.source == MapArgument::Source::input && a.kind == kind) {
          for (std::size_t i = 0; i < map.rows[r].size(); ++i)
            rows[static_cast<std::size_t>(map.rows[r][i])].push_back(a.index[i]);
        } else if (a.source == MapArgument::Source::scalar && !a.scalar.is_number()) {
          const std::vector<int> columns = search(a.scalar.node(), stamp++);
          for (const int row : map.rows[r]) add(row, columns);
        }
      }
    }
  }
  for (auto& r : rows) {
    std::sort(r.begin(), r.end());
    r.erase(std::unique(r.begin(), r.end()), r.end());
  }
  return rows;
}

}  // namespace daedalus::graph
