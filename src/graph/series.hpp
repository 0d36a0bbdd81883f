// SPDX-License-Identifier: BSD-3-Clause
// Taylor arithmetic of any order on a graph: along curves x(tau) of the inputs every node becomes a
// series z(tau) = sum z_k tau^k, and d output / d input becomes a series, too.
// Source: Griewank and Walther, Evaluating Derivatives (SIAM, 2nd edition 2008), chapter 13.
//
// Sums, products and quotients have their own recurrences. Any other z = f(x, y) is the integral
//   dz = p dx + q dy,   k z_k = sum_{j=1}^{k} j (x_j p_{k-j} + y_j q_{k-j}),
// with the slopes p, q as nodes of the graph (graph/partials.hpp). They are needed up to order
// k - 1 only, even if they are computed from z, so evaluation goes order by order through all
// nodes. Natural powers are products; other powers with a fixed exponent have Euler's recurrence
// and those with a varying one slopes made from the result: p a^(p-1) would never end.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include <daedalus/graph.hpp>

namespace daedalus::graph {

class Series {
 public:
  // Adds the slopes to the graph.
  Series(Graph& graph, std::span<const Expr> outputs, int max_order);

  int max_order() const { return order_; }
  void set(const Expr& input, std::span<const double> coefficients);  // from order 0 on
  // All orders up to `order`; inputs must be set. `from`: orders below are known already.
  void evaluate(int order, int from = 0);
  double coefficient(const Expr& x, int k) const;  // of an output or anything it needs
  bool finite(const Expr& x, int order) const;     // all coefficients up to this order
  // The number of the first assertion that fails at order 0; -1: none.
  int failed_assertion() const { return failed_; }

  // Series of d output / d input: calls put(input node, k, value) for inputs the output depends on.
  template <class Put>
  void derivatives(const Expr& output, int order, Put&& put) {
    if (output.is_number() || as_number(output)) return;
    sweep(slot_of(output.node()), order);
    for (const int i : reached_)
      if (steps_[at(i)].rule == Rule::input)
        for (int k = 0; k <= order; ++k) put(steps_[at(i)].node, k, adjoint_[place(i, k)]);
    clear();
  }

 private:
  enum class Rule : std::uint8_t {
    constant,
    input,
    add,
    subtract,
    multiply,
    divide,
    negate,
    power,     // fixed exponent
    integral,  // slopes in parts_
    pick,      // one of the operands, by value
    flat       // piecewise constant
  };
  struct Step {
    Rule rule;
    int node;
    int a = -1, b = -1;  // slots
    double exponent = 0.0;
    int first = 0, count = 0;  // parts of an integral; operands of a pick
  };
  struct Part {
    int operand, slope;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::size_t place(int slot, int k) const { return at(slot) * at(order_ + 1) + at(k); }
  int slot_of(int node) const {
    const auto other = written_as_.find(node);
    return slots_.at(other == written_as_.end() ? node : other->second);
  }

  const double* as_number(const Expr& x) const;  // not null: an output that turned out a number
  void add_step(Graph& graph, int node);
  void add_integral(Graph& graph, int node, Step& step);
  void add_part(Graph& graph, int operand, const Expr& slope, Step& step);
  void evaluate_values();
  double value(const Step& s) const;
  double coefficient_at(const Step& s, int i, int k) const;
  double power_coefficient(const Step& s, int i, int k) const;
  int picked(const Step& s) const;
  void sweep(int slot, int order);
  void spread(const Step& s, int i, int order);
  void add(int slot, const double* adjoint, const double* factor, double sign, int order);
  void clear();

  const Graph& graph_;
  int order_;
  std::vector<Step> steps_;
  std::vector<Part> parts_;
  std::vector<int> picks_;
  std::unordered_map<int, int> slots_;       // by node
  std::unordered_map<int, int> written_as_;  // node of an output: node that is evaluated
  std::unordered_map<int, double> numbers_;
  std::vector<double> c_, adjoint_, work_;
  std::vector<char> marked_;
  std::vector<int> reached_;
  int failed_ = -1;
};

}  // namespace daedalus::graph
