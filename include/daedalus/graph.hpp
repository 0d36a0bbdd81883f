// SPDX-License-Identifier: BSD-3-Clause
// The expression graph behind Expr: hash-consed nodes with named operations, inputs, names and
// source positions, tables, external functions, and repeated equations kept rolled (Map).
// It knows no problem and no method. Passes and evaluators are in src/graph/.
//
// Nodes are numbered from 0; the operands of a node have smaller numbers. A node never changes.
// A graph is built by one thread; what is made from it (graph/program.hpp) is used by many.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <daedalus/expr.hpp>

namespace daedalus::graph {

enum class Op : std::uint8_t {
  constant,
  input,
  add,
  subtract,
  multiply,
  divide,
  negate,
  power,
  sqrt,
  cbrt,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  abs,
  sign,
  floor,
  ceil,
  round,
  trunc,
  atan2,
  hypot,
  mod,
  copysign,
  min,
  max,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  select,       // condition, a, b
  no_event,     // the same value
  assertion,    // condition, value; number of the assertion
  table,        // one or two arguments; number of the look-up
  external,     // any number of arguments; number of the function
  count_of_ops  // not an operation
};
std::string_view name_of(Op op);  // as in the text form where it is a function

// Which vector an input is taken from. What they mean is up to the user of the graph; first-order
// problems have state, algebraic and derivative, multibody problems position, velocity,
// multiplier, contact and auxiliary.
enum class InputKind : std::uint8_t {
  time,
  state,       // y
  algebraic,   // z
  derivative,  // y'; number i belongs to state i
  position,    // q
  velocity,    // v
  multiplier,  // lambda
  contact,     // s
  auxiliary,   // c
  parameter,   // p
  mode,        // discrete values and held outcomes of relations: constant between events
  previous,    // pre(x): number given by Graph::pre, value before the present event
  argument,    // of a kernel
  count_of_kinds
};
inline constexpr int input_kinds = static_cast<int>(InputKind::count_of_kinds);
std::string_view name_of(InputKind kind);

struct Position {
  int file = -1;  // Graph::file(file) is its name; -1: unknown
  int line = 0, column = 0;
};

struct Node {
  Op op = Op::constant;
  std::uint8_t operand_count = 0;  // external: see operands()
  std::array<std::int32_t, 3> x{-1, -1, -1};
};

// y over x, or z over (x, y): piecewise polynomials with derivatives of any order.
class Table;

// A function of several arguments that is computed outside the graph. It must be pure. Without a
// partial derivative k it cannot be differentiated by argument k: InvalidArgument then.
struct External {
  std::string name;
  int argument_count = 0;
  std::function<double(std::span<const double>)> value;
  std::vector<std::shared_ptr<const External>> partial;  // by argument; may be null or missing
};

struct Assertion {
  std::string message;
};

class Graph {
 public:
  Graph();
  ~Graph();
  Graph(Graph&&) = delete;  // Exprs point to it

  // ---- inputs: the same kind and number give the same node; the first name stays ----
  Expr input(InputKind kind, int number, std::string_view name = {});
  Expr time() { return input(InputKind::time, 0, "time"); }
  Expr state(std::string_view name) { return next(InputKind::state, name); }  // next number
  Expr parameter(std::string_view name) { return next(InputKind::parameter, name); }
  Expr mode(std::string_view name) { return next(InputKind::mode, name); }
  Expr next(InputKind kind, std::string_view name);
  int count(InputKind kind) const;                   // 1 + highest number in use
  int input_node(InputKind kind, int number) const;  // -1: not in use
  bool is_input(const Expr& x) const;
  InputKind kind(int input_node) const;
  int number(int input_node) const;
  // pre(x) of the input x; previous_of(number) is the node of x.
  Expr pre(const Expr& input);
  int previous_of(int previous_number) const;

  // ---- nodes ----
  Expr constant(double value) { return value; }
  Expr make(Op op, const Expr& a);  // folds and simplifies
  Expr make(Op op, const Expr& a, const Expr& b);
  Expr select(const Expr& condition, const Expr& a, const Expr& b);
  Expr asserted(const Expr& condition, const Expr& value, std::string_view message);
  Expr table(std::shared_ptr<const Table> table, const Expr& x);
  Expr table(std::shared_ptr<const Table> table, const Expr& x, const Expr& y);
  Expr external(std::shared_ptr<const External> function, std::span<const Expr> arguments);

  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  std::span<const std::int32_t> operands(int i) const;
  double constant_value(int i) const;  // of a constant node
  int node_of(const Expr& x);          // of a number the constant node
  Expr expr(int node) const;  // of a graph that is constant: to read and print, not to compute

  // ---- names, positions (of the first to write the expression) ----
  void set_name(const Expr& x, std::string_view name);
  std::string_view name(int node) const;  // empty: none
  int add_file(std::string_view name);
  std::string_view file(int number) const;
  void set_position(const Expr& x, Position position);  // kept if there is none yet
  Position position(int node) const;

  const Assertion& assertion(int number) const;
  const External& external_of(int node) const;
  const Table& table_of(int node) const;
  std::array<int, 2> table_order(int node) const;  // derivatives taken by the arguments

 private:
  friend struct GraphAccess;  // the rules of folding and differentiation
  struct Store;
  std::vector<Node> nodes_;
  std::unique_ptr<Store> store_;
};

// ---- repeated equations ----

// A formula with formal arguments, made once and used for many instances. Its graph is its own;
// formal argument k is kernel.argument(k), an input of kind `argument`.
class Kernel {
 public:
  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }
  Expr argument(int k, std::string_view name = {}) {
    return graph_.input(InputKind::argument, k, name);
  }
  int argument_count() const { return graph_.count(InputKind::argument); }
  int argument_node(int k) const { return graph_.input_node(InputKind::argument, k); }
  void add_result(const Expr& e) { results_.push_back(e); }
  const std::vector<Expr>& results() const { return results_; }

 private:
  Graph graph_;
  std::vector<Expr> results_;
};

// What formal argument k is in instance i: one of
//   entry index[i] of an input vector,   values[i],   the same scalar of the outer graph for all.
struct MapArgument {
  enum class Source : std::uint8_t { input, values, scalar } source = Source::scalar;
  InputKind kind = InputKind::state;
  std::vector<int> index;
  std::vector<double> values;
  Expr scalar;

  static MapArgument of_input(InputKind kind, std::vector<int> index);
  static MapArgument of_values(std::vector<double> values);
  static MapArgument of_scalar(const Expr& scalar);
};

// Result j of instance i goes to row rows[j][i] of the outputs: stored, or added where the map
// accumulates (currents into nodes of a network).
struct Map {
  std::shared_ptr<const Kernel> kernel;
  int count = 0;
  std::vector<MapArgument> arguments;
  std::vector<std::vector<int>> rows;
  bool accumulate = false;
};

// What is evaluated together: expressions by row, and maps that fill further rows. A row is set
// once, or is the sum of what maps add to it and of at most one single expression. A row that
// nobody sets is zero. check() throws InvalidArgument that names row, map and argument.
struct Outputs {
  struct Single {
    int row;
    Expr value;
  };
  int count = 0;
  std::vector<Single> single;
  std::vector<Map> maps;

  void add(const Expr& value) { single.push_back({count++, value}); }  // as the next row
  void check(const Graph& graph) const;
};

}  // namespace daedalus::graph
