// What recorded numbers have written down: a list of operations, evaluated in Taylor arithmetic of
// any order K along a curve, together with the derivatives of the results by the inputs, which are
// series as well. Source: Griewank and Walther, Evaluating Derivatives (SIAM, 2nd edition 2008),
// chapter 13.
//
// There are few operations because every elementary function z = f(x) is the integral of
//   dz = p dx   with p written down as a node of its own (sine: p = cosine, tangent: p = 1 + z^2),
//   k z_k = sum_{j=1}^{k} j x_j p_{k-j},
// which needs p only up to order k - 1, even if p is computed from z. Evaluation goes order by
// order through all nodes. p is the partial derivative for the reverse sweep, too.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <daedalus/recorded.hpp>

namespace daedalus {

class Graph {
 public:
  enum class Operation : std::uint8_t {
    input,
    constant,
    add,
    subtract,
    multiply,
    divide,
    integral
  };
  struct Node {
    Operation operation;
    int a = -1, b = -1;  // arguments; integral: x and p
    double value = 0.0;
  };

  Recorded input(double value);
  Recorded constant(double value);
  Recorded binary(Operation operation, const Recorded& a, const Recorded& b);
  // f(x) = value; the slope follows by set_slope, since it may be computed from the result.
  Recorded integral(double value, const Recorded& x);
  void set_slope(const Recorded& z, const Recorded& slope);

  // Arguments of comparisons that the callable made.
  struct Comparison {
    Recorded left, right;
  };
  void note_comparison(const Recorded& a, const Recorded& b) { comparisons_.push_back({a, b}); }
  const std::vector<Comparison>& comparisons() const { return comparisons_; }

  int size() const { return static_cast<int>(nodes_.size()); }
  const std::vector<Node>& nodes() const { return nodes_; }
  int node_of(const Recorded& x);  // of constants, too

  // sum_i weight_i outputs_i differentiated by the inputs, as further nodes.
  std::vector<Recorded> gradient(std::span<const Recorded> outputs,
                                 std::span<const Recorded> weights,
                                 std::span<const Recorded> inputs);

 private:
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, int> constants_;
  std::vector<Comparison> comparisons_;
};

// Series of all nodes; coefficient k of node i at (i (K + 1) + k).
class GraphSeries {
 public:
  // `inputs` names input nodes, `curves` their coefficients, K + 1 each, one after another.
  GraphSeries(Graph& graph, int order);
  void set(const Recorded& input, std::span<const double> coefficients);
  void evaluate();
  bool finite(const Recorded& x) const;
  double coefficient(const Recorded& x, int k) const;

  // Series of d output / d input for all inputs: calls put(input number, k, value) for entries of
  // inputs that the output depends on.
  template <class Put>
  void derivatives(const Recorded& output, const std::vector<int>& number_of_input, int order,
                   Put&& put) {
    if (!output.graph) return;
    sweep(output, order);
    for (const int node : reached_) {
      const int number = number_of_input[static_cast<std::size_t>(node)];
      if (number < 0) continue;
      for (int k = 0; k <= order; ++k) put(number, k, adjoint_[place(node, k)]);
    }
    clear();
  }

 private:
  std::size_t place(int node, int k) const {
    return static_cast<std::size_t>(node) * static_cast<std::size_t>(order_ + 1) +
           static_cast<std::size_t>(k);
  }
  double product(int a, int b, int k) const;
  void sweep(const Recorded& output, int order);
  void add(int node, const double* adjoint, int factor, double sign, int order);
  void clear();

  Graph& graph_;
  int order_;
  std::vector<double> c_, adjoint_;
  std::vector<char> marked_;
  std::vector<int> reached_;
};

}  // namespace daedalus
