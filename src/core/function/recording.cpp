// SPDX-License-Identifier: BSD-3-Clause
#include "function/recording.hpp"

#include "graph/gradient.hpp"
#include "graph/operations.hpp"

namespace daedalus {

using graph::InputKind;
using graph::Op;

Recorded Recording::input(double value) {
  return input(InputKind::state, graph_.count(InputKind::state), value);
}

Recorded Recording::input(InputKind kind, int number, double value) {
  const int node = graph_.input(kind, number).node();
  input_values_.resize(std::max(input_values_.size(), static_cast<std::size_t>(node) + 1), 0.0);
  input_values_[static_cast<std::size_t>(node)] = value;
  return {value, this, node};
}

Expr Recording::expr(const Recorded& x) const {
  return x.recording ? graph_.expr(x.node) : Expr(x.v);
}

double Recording::value(int node) {
  for (int i = static_cast<int>(values_.size()); i <= node; ++i) {
    const graph::Node& n = graph_.node(i);
    const auto at = [&](int k) {
      return values_[static_cast<std::size_t>(n.x[static_cast<std::size_t>(k)])];
    };
    double v = 0.0;
    if (n.op == Op::constant)
      v = graph_.constant_value(i);
    else if (n.op == Op::input)
      v = input_values_[static_cast<std::size_t>(i)];
    else if (n.op == Op::select)
      v = at(0) != 0.0 ? at(1) : at(2);
    else
      v = graph::apply(n.op, at(0), n.operand_count > 1 ? at(1) : 0.0);
    values_.push_back(v);
  }
  return values_[static_cast<std::size_t>(node)];
}

Recorded Recording::number(const Expr& x) {
  if (x.is_number()) return x.number();
  return {value(x.node()), this, x.node()};
}

void Recording::add_guard(const Expr& condition, bool outcome) {
  if (condition.is_number()) return;
  for (const Guard& g : guards_)
    if (g.condition.same(condition)) return;  // it turned out the same: values do not change
  guards_.push_back({condition, outcome});
}

std::vector<Recorded> Recording::gradient(std::span<const Recorded> outputs,
                                          std::span<const Recorded> weights,
                                          std::span<const Recorded> inputs) {
  const auto exprs = [&](std::span<const Recorded> list) {
    std::vector<Expr> all;
    for (const Recorded& x : list) all.push_back(expr(x));
    return all;
  };
  std::vector<Recorded> result;
  for (const Expr& e :
       graph::weighted_gradient(graph_, exprs(outputs), exprs(weights), exprs(inputs)))
    result.push_back(number(e));
  return result;
}

}  // namespace daedalus
