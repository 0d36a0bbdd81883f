// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/connections.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/at.hpp"

namespace daedalus::modelica {
namespace {

std::vector<std::string> quoted_names(const Instance& i) {
  std::vector<std::string> names;
  for (const Instance* child : i.children) names.push_back("'" + child->name + "'");
  if (names.empty()) names.push_back("'" + i.name + "'");
  return names;
}

Origin origin_of(const Context& c, const ast::Equation& e, const Env& env) {
  Origin o;
  o.kind = Origin::Kind::connection;
  o.place = e.place;
  o.text = fmt::format("connect({}, {})", c.files.text(e.left->place),
                       c.files.text(e.right->place));
  if (env.scope->instance) o.component = env.scope->instance->path();
  return o;
}

}  // namespace

int Connections::member(Instance* leaf, int element, bool outside, const Origin& origin) {
  const auto [place, added] =
      numbers_.emplace(Node{leaf, element, outside}, static_cast<int>(members_.size()));
  if (added) members_.push_back({{leaf, element, outside}, place->second, origin});
  return place->second;
}

int Connections::root(int i) {
  while (members_[at(i)].parent != i)
    i = members_[at(i)].parent = members_[at(members_[at(i)].parent)].parent;
  return i;
}

void Connections::mismatch(const Instance& a, const Instance& b, const Origin& origin) {
  throw Mistake{Phase::connect, origin.place,
                fmt::format("{}: types {} and {} differ: {} against {}", origin.text,
                            a.type_name(), b.type_name(), fmt::join(quoted_names(a), ", "),
                            fmt::join(quoted_names(b), ", ")),
                "connectors must have the same variables"};
}

void Connections::connect(const ast::Equation& e, const Env& env) {
  const Origin origin = origin_of(c_, e, env);
  Shape left_shape, right_shape;
  std::optional<std::vector<int>> left_elements, right_elements;
  const std::vector<Instance*> left = c_.instances_of(*e.left, env, left_shape, &left_elements);
  const std::vector<Instance*> right =
      c_.instances_of(*e.right, env, right_shape, &right_elements);
  if (left.size() != right.size())
    throw Mistake{Phase::connect, e.place,
                  fmt::format("{}: arrays of {} and {} connectors", origin.text, left.size(),
                              right.size())};
  // A connector of the model itself is seen from outside by its parts.
  const auto outside = [&](const ast::Expression& reference) {
    const Instance* first =
        c_.find_component(reference.parts.front().name, env.scope, reference.place);
    return first && first->connector && first->parent == env.scope->instance;
  };
  const bool left_outside = outside(*e.left), right_outside = outside(*e.right);
  for (std::size_t k = 0; k < left.size(); ++k) {
    Instance &a = *left[k]->real(), &b = *right[k]->real();
    if (a.off || b.off) continue;
    for (const Instance* one : {&a, &b})
      if (!one->connector && !(one->parent && one->parent->connector))
        throw Mistake{Phase::connect, e.place,
                      fmt::format("{}: '{}' is no connector", origin.text, one->path()),
                      "write an equation for variables"};
    ++c_.cardinality[&a];
    ++c_.cardinality[&b];
    join(a, {left_outside, left_elements}, b, {right_outside, right_elements}, origin);
  }
}

void Connections::join(Instance& a, const Side& side_a, Instance& b, const Side& side_b,
                       const Origin& origin) {
  if (a.off || b.off) return;
  if (a.simple() != b.simple()) mismatch(a, b, origin);
  if (a.simple()) return join_leaves(a, side_a, b, side_b, origin);
  if (a.array_of_components() || b.array_of_components()) {
    if (a.elements.size() != b.elements.size()) mismatch(a, b, origin);
    for (std::size_t k = 0; k < a.elements.size(); ++k)
      join(*a.elements[k], side_a, *b.elements[k], side_b, origin);
    return;
  }
  std::size_t matched = 0;
  for (Instance* child : a.children) {
    c_.expand(*child);
    Instance* other = c_.child(b, child->name);
    if (!other) mismatch(a, b, origin);
    ++matched;
    join(*child, side_a, *other, side_b, origin);
  }
  if (matched != b.children.size()) mismatch(a, b, origin);
}

void Connections::join_leaves(Instance& a, const Side& side_a, Instance& b, const Side& side_b,
                              const Origin& origin) {
  const auto elements = [](const Instance& i, const Side& side) {
    if (side.elements) return *side.elements;
    std::vector<int> all(at(size_of(i.shape)));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
    return all;
  };
  const std::vector<int> of_a = elements(a, side_a), of_b = elements(b, side_b);
  const bool numbers = (a.base == Base::real || a.base == Base::integer) &&
                       (b.base == Base::real || b.base == Base::integer);
  if (a.prefixes.flow != b.prefixes.flow || of_a.size() != of_b.size() ||
      (a.base != b.base && !numbers) || a.prefixes.stream != b.prefixes.stream)
    mismatch(a.connector ? a : *a.parent, b.connector ? b : *b.parent, origin);
  if (a.variability() <= Variability::parameter) return;
  if (a.prefixes.stream)
    throw Mistake{Phase::connect, origin.place, "not supported yet: stream connectors"};
  for (std::size_t k = 0; k < of_a.size(); ++k) {
    const int i = root(member(&a, of_a[k], side_a.outside, origin));
    const int j = root(member(&b, of_b[k], side_b.outside, origin));
    members_[at(std::max(i, j))].parent = std::min(i, j);
  }
}

void Connections::potentials(const std::vector<int>& set, std::vector<FlatEquation>& out) {
  const Node* source = nullptr;
  for (const int k : set) {
    const Node& n = members_[at(k)].node;
    // A protected connector is none of the interface: nobody gives it values from outside.
    const bool hidden = n.leaf->component && n.leaf->component->prefixes.protected_;
    const bool gives =
        n.outside ? n.leaf->prefixes.input && !hidden : n.leaf->prefixes.output;
    if (!gives) continue;
    if (source)
      throw Mistake{Phase::connect, members_[at(k)].origin.place,
                    fmt::format("an input gets values from '{}' and '{}'", source->leaf->path(),
                                n.leaf->path()),
                    "an input is connected to one output"};
    source = &n;
  }
  const Node first = members_[at(set.front())].node;
  const Expr x = c_.value_of(*first.leaf).e[at(first.element)];
  for (std::size_t k = 1; k < set.size(); ++k) {
    const Node& other = members_[at(set[k])].node;
    if (other.leaf == first.leaf && other.element == first.element) continue;
    FlatEquation e{x, c_.value_of(*other.leaf).e[at(other.element)], members_[at(set[k])].origin};
    e.discrete = first.leaf->base != Base::real || (first.leaf->discrete && other.leaf->discrete);
    out.push_back(std::move(e));
  }
}

void Connections::flows(const std::vector<int>& set, std::vector<FlatEquation>& out) {
  Expr sum = 0.0;
  for (const int k : set) {
    const Node& n = members_[at(k)].node;
    const Expr x = c_.value_of(*n.leaf).e[at(n.element)];
    sum = n.outside ? sum - x : sum + x;
  }
  FlatEquation e{sum, 0.0, members_[at(set.front())].origin};
  e.origin.kind = Origin::Kind::flow_balance;
  out.push_back(std::move(e));
}

void Connections::free_flow(Instance& leaf, std::vector<FlatEquation>& out) {
  if (!leaf.prefixes.flow) return;
  const Value x = c_.value_of(leaf);
  for (std::size_t k = 0; k < x.e.size(); ++k) {
    if (numbers_.count({&leaf, static_cast<int>(k), false})) continue;
    FlatEquation zero{x.e[k], 0.0, {}};
    zero.origin.kind = Origin::Kind::flow_balance;
    zero.origin.place = leaf.parent ? leaf.parent->place() : leaf.place();
    zero.origin.component = leaf.parent ? leaf.parent->path() : "";
    zero.origin.text = fmt::format("{} = 0", leaf.path());
    out.push_back(std::move(zero));
  }
}

void Connections::unconnected(Instance& i, std::vector<FlatEquation>& out) {
  for (Instance* child : i.children) {
    if (child->off || child->inner) continue;
    if (child->simple()) {
      if (i.connector || child->connector) free_flow(*child, out);
    } else if (child->array_of_components()) {
      for (Instance* element : child->elements) unconnected(*element, out);
    } else {
      unconnected(*child, out);
    }
  }
}

std::vector<FlatEquation> Connections::equations(Instance& top) {
  std::vector<FlatEquation> out;
  std::map<int, std::vector<int>> sets;
  for (int k = 0; k < static_cast<int>(members_.size()); ++k) sets[root(k)].push_back(k);
  for (const auto& [number, set] : sets) {
    if (members_[at(set.front())].node.leaf->prefixes.flow)
      flows(set, out);
    else
      potentials(set, out);
  }
  unconnected(top, out);
  return out;
}

}  // namespace daedalus::modelica
