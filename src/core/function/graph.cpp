// SPDX-License-Identifier: BSD-3-Clause
#include "function/graph.hpp"

#include <cmath>
#include <cstring>

namespace daedalus {
namespace {

std::size_t place_of(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Recorded Graph::input(double value) {
  nodes_.push_back({Operation::input, -1, -1, value});
  return {value, this, size() - 1};
}

Recorded Graph::constant(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const auto [entry, fresh] = constants_.try_emplace(bits, size());
  if (fresh) nodes_.push_back({Operation::constant, -1, -1, value});
  return {value, this, entry->second};
}

int Graph::node_of(const Recorded& x) { return x.graph ? x.node : constant(x.v).node; }

Recorded Graph::binary(Operation operation, const Recorded& a, const Recorded& b) {
  double value = 0.0;
  switch (operation) {
    case Operation::add:
      value = a.v + b.v;
      break;
    case Operation::subtract:
      value = a.v - b.v;
      break;
    case Operation::multiply:
      value = a.v * b.v;
      break;
    default:
      value = a.v / b.v;
      break;
  }
  const int na = node_of(a), nb = node_of(b);
  nodes_.push_back({operation, na, nb, value});
  return {value, this, size() - 1};
}

Recorded Graph::integral(double value, const Recorded& x) {
  nodes_.push_back({Operation::integral, x.node, -1, value});
  return {value, this, size() - 1};
}

void Graph::set_slope(const Recorded& z, const Recorded& slope) {
  const int node = node_of(slope);
  nodes_[place_of(z.node)].b = node;
}

std::vector<Recorded> Graph::gradient(std::span<const Recorded> outputs,
                                      std::span<const Recorded> weights,
                                      std::span<const Recorded> inputs) {
  const int last = size();
  std::vector<Recorded> adjoint(place_of(last));
  int top = -1;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].graph) continue;
    adjoint[place_of(outputs[i].node)] += weights[i];
    top = std::max(top, outputs[i].node);
  }
  const auto known = [this](int node) {
    return Recorded(nodes_[place_of(node)].value, this, node);
  };
  for (int i = top; i >= 0; --i) {
    const Recorded w = adjoint[place_of(i)];
    if (!w.graph && w.v == 0.0) continue;
    const Node node = nodes_[place_of(i)];
    switch (node.operation) {
      case Operation::add:
        adjoint[place_of(node.a)] += w;
        adjoint[place_of(node.b)] += w;
        break;
      case Operation::subtract:
        adjoint[place_of(node.a)] += w;
        adjoint[place_of(node.b)] -= w;
        break;
      case Operation::multiply: {
        const Recorded a = known(node.a), b = known(node.b);
        adjoint[place_of(node.a)] += w * b;
        adjoint[place_of(node.b)] += w * a;
        break;
      }
      case Operation::divide: {
        const Recorded part = w / known(node.b);
        adjoint[place_of(node.a)] += part;
        adjoint[place_of(node.b)] -= part * known(i);
        break;
      }
      case Operation::integral:
        adjoint[place_of(node.a)] += w * known(node.b);
        break;
      default:
        break;
    }
  }
  std::vector<Recorded> result;
  for (const Recorded& x : inputs) result.push_back(x.graph ? adjoint[place_of(x.node)] : 0.0);
  return result;
}

GraphSeries::GraphSeries(Graph& graph, int order)
    : graph_(graph),
      order_(order),
      c_(place_of(graph.size()) * place_of(order + 1), 0.0),
      adjoint_(c_.size(), 0.0),
      marked_(place_of(graph.size()), 0) {
  for (int i = 0; i < graph.size(); ++i) c_[place(i, 0)] = graph.nodes()[place_of(i)].value;
}

void GraphSeries::set(const Recorded& input, std::span<const double> coefficients) {
  for (int k = 1; k <= order_ && k < static_cast<int>(coefficients.size()); ++k)
    c_[place(input.node, k)] = coefficients[place_of(k)];
}

double GraphSeries::product(int a, int b, int k) const {
  double sum = 0.0;
  for (int j = 0; j <= k; ++j) sum += c_[place(a, j)] * c_[place(b, k - j)];
  return sum;
}

void GraphSeries::evaluate() {
  for (int k = 1; k <= order_; ++k)
    for (int i = 0; i < graph_.size(); ++i) {
      const Graph::Node& node = graph_.nodes()[place_of(i)];
      double& c = c_[place(i, k)];
      switch (node.operation) {
        case Graph::Operation::add:
          c = c_[place(node.a, k)] + c_[place(node.b, k)];
          break;
        case Graph::Operation::subtract:
          c = c_[place(node.a, k)] - c_[place(node.b, k)];
          break;
        case Graph::Operation::multiply:
          c = product(node.a, node.b, k);
          break;
        case Graph::Operation::divide: {
          double sum = c_[place(node.a, k)];
          for (int j = 1; j <= k; ++j) sum -= c_[place(node.b, j)] * c_[place(i, k - j)];
          c = sum / c_[place(node.b, 0)];
          break;
        }
        case Graph::Operation::integral: {
          double sum = 0.0;
          for (int j = 1; j <= k; ++j) sum += j * c_[place(node.a, j)] * c_[place(node.b, k - j)];
          c = sum / k;
          break;
        }
        default:
          break;
      }
    }
}

bool GraphSeries::finite(const Recorded& x) const {
  if (!x.graph) return std::isfinite(x.v);
  for (int k = 0; k <= order_; ++k)
    if (!std::isfinite(c_[place(x.node, k)])) return false;
  return true;
}

double GraphSeries::coefficient(const Recorded& x, int k) const {
  return x.graph ? c_[place(x.node, k)] : k == 0 ? x.v : 0.0;
}

// adjoint of `node` += sign * adjoint * series of `factor` (factor < 0: one).
void GraphSeries::add(int node, const double* adjoint, int factor, double sign, int order) {
  if (!marked_[place_of(node)]) {
    marked_[place_of(node)] = 1;
    reached_.push_back(node);
  }
  double* to = &adjoint_[place(node, 0)];
  if (factor < 0) {
    for (int k = 0; k <= order; ++k) to[k] += sign * adjoint[k];
    return;
  }
  const double* f = &c_[place(factor, 0)];
  for (int k = 0; k <= order; ++k)
    for (int j = 0; j <= k; ++j) to[k] += sign * adjoint[j] * f[k - j];
}

void GraphSeries::sweep(const Recorded& output, int order) {
  marked_[place_of(output.node)] = 1;
  reached_.push_back(output.node);
  adjoint_[place(output.node, 0)] = 1.0;
  std::vector<double> quotient(place_of(order + 1));
  for (int i = output.node; i >= 0; --i) {
    if (!marked_[place_of(i)]) continue;
    const Graph::Node& node = graph_.nodes()[place_of(i)];
    const double* w = &adjoint_[place(i, 0)];
    switch (node.operation) {
      case Graph::Operation::add:
        add(node.a, w, -1, 1.0, order);
        add(node.b, w, -1, 1.0, order);
        break;
      case Graph::Operation::subtract:
        add(node.a, w, -1, 1.0, order);
        add(node.b, w, -1, -1.0, order);
        break;
      case Graph::Operation::multiply:
        add(node.a, w, node.b, 1.0, order);
        add(node.b, w, node.a, 1.0, order);
        break;
      case Graph::Operation::divide: {
        const double* b = &c_[place(node.b, 0)];
        for (int k = 0; k <= order; ++k) {
          double sum = w[k];
          for (int j = 1; j <= k; ++j) sum -= b[j] * quotient[place_of(k - j)];
          quotient[place_of(k)] = sum / b[0];
        }
        add(node.a, quotient.data(), -1, 1.0, order);
        add(node.b, quotient.data(), i, -1.0, order);
        break;
      }
      case Graph::Operation::integral:
        add(node.a, w, node.b, 1.0, order);
        break;
      default:
        break;
    }
  }
}

void GraphSeries::clear() {
  for (const int node : reached_) {
    marked_[place_of(node)] = 0;
    for (int k = 0; k <= order_; ++k) adjoint_[place(node, k)] = 0.0;
  }
  reached_.clear();
}

}  // namespace daedalus
