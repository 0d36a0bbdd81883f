// SPDX-License-Identifier: BSD-3-Clause
#include <daedalus/graph.hpp>

#include <algorithm>
#include <bit>

#include <daedalus/types.hpp>

#include "graph/operations.hpp"
#include "graph/store.hpp"

namespace daedalus::graph {
namespace {

std::size_t place_at(int i) { return static_cast<std::size_t>(i); }

std::uint64_t mix_bits(std::uint64_t h) {  // finaliser of splitmix64: Steele, Lea, Flood (2014)
  h ^= h >> 30;
  h *= 0xbf58476d1ce4e5b9ull;
  h ^= h >> 27;
  h *= 0x94d049bb133111ebull;
  return h ^ (h >> 31);
}

std::uint64_t node_hash(Op op, int a, int b, int c) {
  const auto word = [](int high, int low) {
    return std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low);
  };
  return mix_bits(word(a, b) + mix_bits(word(static_cast<int>(op), c)));
}

}  // namespace

void NodeTable::grow() {
  std::vector<Place> old(places_.empty() ? 64 : 2 * places_.size());
  old.swap(places_);
  for (const Place& p : old) {
    if (p.node < 0) continue;
    std::size_t i = p.hash & (places_.size() - 1);
    while (places_[i].node >= 0) i = (i + 1) & (places_.size() - 1);
    places_[i] = p;
  }
}

Graph::Graph() : store_(std::make_unique<Store>()) {}
Graph::~Graph() = default;

int GraphAccess::intern(Graph& g, Op op, int a, int b, int c) {
  const bool swap = info(op).commutative && b < a;
  const int low = swap ? b : a, high = swap ? a : b;
  int& place = g.store_->known.find(node_hash(op, low, high, c), [&](int i) {
    const Node& n = g.node(i);
    if (n.op != op || n.x[2] != c) return false;
    return (n.x[0] == a && n.x[1] == b) || (info(op).commutative && n.x[0] == b && n.x[1] == a);
  });
  if (place < 0) {
    place = g.size();
    const int count = op == Op::table ? (b < 0 ? 1 : 2) : std::max(info(op).operand_count, 0);
    g.nodes_.push_back({op, static_cast<std::uint8_t>(count), {a, b, c}});
  }
  return place;
}

int GraphAccess::intern_constant(Graph& g, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  int& place = g.store_->known.find(mix_bits(bits + 1), [&](int i) {
    return g.node(i).op == Op::constant &&
           std::bit_cast<std::uint64_t>(g.store_->values[place_at(g.node(i).x[0])]) == bits;
  });
  if (place < 0) {
    place = g.size();
    g.nodes_.push_back({Op::constant, 0, {static_cast<int>(g.store_->values.size()), -1, -1}});
    g.store_->values.push_back(value);
  }
  return place;
}

int GraphAccess::intern_external(Graph& g, int function, std::span<const std::int32_t> arguments) {
  std::uint64_t hash = mix_bits(static_cast<std::uint64_t>(function) + 77);
  for (const int a : arguments) hash = mix_bits(hash + static_cast<std::uint64_t>(a));
  int& place = g.store_->known.find(hash, [&](int i) {
    const auto known = g.operands(i);
    return g.node(i).op == Op::external && g.node(i).x[2] == function &&
           std::equal(known.begin(), known.end(), arguments.begin(), arguments.end());
  });
  if (place < 0) {
    place = g.size();
    const int first = static_cast<int>(g.store_->arguments.size());
    g.store_->arguments.insert(g.store_->arguments.end(), arguments.begin(), arguments.end());
    g.nodes_.push_back({Op::external, 0, {first, static_cast<int>(arguments.size()), function}});
  }
  return place;
}

int GraphAccess::look_up_number(Graph& g, const std::shared_ptr<const Table>& table,
                                std::array<int, 2> order) {
  auto& list = g.store_->look_ups;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].table == table && list[i].order == order) return static_cast<int>(i);
  list.push_back({table, order});
  return static_cast<int>(list.size()) - 1;
}

int GraphAccess::external_number(Graph& g, const std::shared_ptr<const External>& function) {
  auto& list = g.store_->externals;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i] == function) return static_cast<int>(i);
  list.push_back(function);
  return static_cast<int>(list.size()) - 1;
}

const LookUp& GraphAccess::look_up(const Graph& g, int node) {
  return g.store_->look_ups[place_at(g.node(node).x[2])];
}
const std::shared_ptr<const External>& GraphAccess::external(const Graph& g, int node) {
  return g.store_->externals[place_at(g.node(node).x[2])];
}

Expr Graph::input(InputKind kind, int number, std::string_view name) {
  if (number < 0)
    throw InvalidArgument("input '" + std::string(name) + "' has the number " +
                          std::to_string(number) + "; numbers start at 0");
  auto& list = store_->inputs[static_cast<std::size_t>(kind)];
  if (list.size() <= place_at(number)) list.resize(place_at(number) + 1, -1);
  int& node = list[place_at(number)];
  if (node < 0) {
    node = size();
    nodes_.push_back({Op::input, 0, {static_cast<int>(kind), number, -1}});
    if (!name.empty()) store_->names[node] = name;
  }
  return {*this, node};
}

Expr Graph::next(InputKind kind, std::string_view name) { return input(kind, count(kind), name); }
int Graph::count(InputKind kind) const {
  return static_cast<int>(store_->inputs[static_cast<std::size_t>(kind)].size());
}
int Graph::input_node(InputKind kind, int number) const {
  return number < count(kind) ? store_->inputs[static_cast<std::size_t>(kind)][place_at(number)]
                              : -1;
}
bool Graph::is_input(const Expr& x) const {
  return x.graph() == this && node(x.node()).op == Op::input;
}
InputKind Graph::kind(int input_node) const {
  return static_cast<InputKind>(node(input_node).x[0]);
}
int Graph::number(int input_node) const { return node(input_node).x[1]; }

Expr Graph::pre(const Expr& x) {
  if (x.is_number()) return x;
  if (!is_input(x))
    throw InvalidArgument("pre(" + text(x) + "): pre takes a variable, not an expression");
  auto& list = store_->previous;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i] == x.node()) return input(InputKind::previous, static_cast<int>(i));
  list.push_back(x.node());
  return next(InputKind::previous, {});
}
int Graph::previous_of(int previous_number) const {
  return store_->previous[place_at(previous_number)];
}

std::span<const std::int32_t> Graph::operands(int i) const {
  const Node& n = node(i);
  if (n.op == Op::external)
    return {store_->arguments.data() + n.x[0], static_cast<std::size_t>(n.x[1])};
  return {n.x.data(), n.operand_count};
}

double Graph::constant_value(int i) const { return store_->values[place_at(node(i).x[0])]; }

int Graph::node_of(const Expr& x) {
  if (x.is_number()) return GraphAccess::intern_constant(*this, x.number());
  if (x.graph() != this) throw InvalidArgument("'" + text(x) + "' belongs to another graph");
  return x.node();
}

Expr Graph::expr(int node) const { return {const_cast<Graph&>(*this), node}; }

void Graph::set_name(const Expr& x, std::string_view name) {
  if (!x.is_number()) store_->names[node_of(x)] = name;
}
std::string_view Graph::name(int node) const {
  const std::string* found = store_->names.find(node);
  return found ? std::string_view(*found) : std::string_view();
}
int Graph::add_file(std::string_view name) {
  auto& files = store_->files;
  const auto found = std::find(files.begin(), files.end(), name);
  if (found != files.end()) return static_cast<int>(found - files.begin());
  files.emplace_back(name);
  return static_cast<int>(files.size()) - 1;
}
std::string_view Graph::file(int number) const {
  return number < 0 ? std::string_view() : std::string_view(store_->files[place_at(number)]);
}
void Graph::set_position(const Expr& x, Position position) {
  if (x.is_number()) return;
  auto& list = store_->positions;
  const std::size_t k = place_at(node_of(x));
  if (k >= list.size()) list.resize(k + 1);
  if (list[k].file < 0) list[k] = position;
}
Position Graph::position(int node) const {
  const auto& list = store_->positions;
  return place_at(node) < list.size() ? list[place_at(node)] : Position{};
}

const Assertion& Graph::assertion(int number) const { return store_->assertions[place_at(number)]; }
const External& Graph::external_of(int node) const { return *GraphAccess::external(*this, node); }
const Table& Graph::table_of(int node) const { return *GraphAccess::look_up(*this, node).table; }
std::array<int, 2> Graph::table_order(int node) const {
  return GraphAccess::look_up(*this, node).order;
}

}  // namespace daedalus::graph
