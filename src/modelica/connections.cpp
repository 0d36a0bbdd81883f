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

int Connections::member(Instance* leaf, bool outside, const Origin& origin) {
  const auto [place, added] =
      numbers_.emplace(Node{leaf, outside}, static_cast<int>(members_.size()));
  if (added) members_.push_back({{leaf, outside}, place->second, origin});
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
  const std::vector<Instance*> left = c_.instances_of(*e.left, env, left_shape);
  const std::vector<Instance*> right = c_.instances_of(*e.right, env, right_shape);
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
    join(a, left_outside, b, right_outside, origin);
  }
}

void Connections::join(Instance& a, bool a_outside, Instance& b, bool b_outside,
                       const Origin& origin) {
  if (a.off || b.off) return;
  if (a.simple() != b.simple()) mismatch(a, b, origin);
  if (a.simple()) return join_leaves(a, a_outside, b, b_outside, origin);
  if (a.array_of_components() || b.array_of_components()) {
    if (a.elements.size() != b.elements.size()) mismatch(a, b, origin);
    for (std::size_t k = 0; k < a.elements.size(); ++k)
      join(*a.elements[k], a_outside, *b.elements[k], b_outside, origin);
    return;
  }
  std::size_t matched = 0;
  for (Instance* child : a.children) {
    c_.expand(*child);
    Instance* other = c_.child(b, child->name);
    if (!other) mismatch(a, b, origin);
    ++matched;
    join(*child, a_outside, *other, b_outside, origin);
  }
  if (matched != b.children.size()) mismatch(a, b, origin);
}

void Connections::join_leaves(Instance& a, bool a_outside, Instance& b, bool b_outside,
                              const Origin& origin) {
  const bool numbers = (a.base == Base::real || a.base == Base::integer) &&
                       (b.base == Base::real || b.base == Base::integer);
  if (a.prefixes.flow != b.prefixes.flow || a.shape != b.shape ||
      (a.base != b.base && !numbers) || a.prefixes.stream != b.prefixes.stream)
    mismatch(*a.parent, *b.parent, origin);
  if (a.variability() <= Variability::parameter) return;
  if (a.prefixes.stream)
    throw Mistake{Phase::connect, origin.place, "not supported yet: stream connectors"};
  const int i = root(member(&a, a_outside, origin)), j = root(member(&b, b_outside, origin));
  members_[at(std::max(i, j))].parent = std::min(i, j);
}

void Connections::potentials(const std::vector<int>& set, std::vector<FlatEquation>& out) {
  const Instance* source = nullptr;
  for (const int k : set) {
    const Node& n = members_[at(k)].node;
    const bool gives = n.outside ? n.leaf->prefixes.input : n.leaf->prefixes.output;
    if (!gives) continue;
    if (source)
      throw Mistake{Phase::connect, members_[at(k)].origin.place,
                    fmt::format("an input gets values from '{}' and '{}'", source->path(),
                                n.leaf->path()),
                    "an input is connected to one output"};
    source = n.leaf;
  }
  Instance& first = *members_[at(set.front())].node.leaf;
  const Value x = c_.value_of(first);
  for (std::size_t k = 1; k < set.size(); ++k) {
    Instance& other = *members_[at(set[k])].node.leaf;
    if (&other == &first) continue;
    const Value& y = c_.value_of(other);
    for (std::size_t j = 0; j < x.e.size(); ++j) {
      FlatEquation e{x.e[j], y.e[j], members_[at(set[k])].origin};
      e.discrete = first.base != Base::real || (first.discrete && other.discrete);
      out.push_back(std::move(e));
    }
  }
}

void Connections::flows(const std::vector<int>& set, std::vector<FlatEquation>& out) {
  const Origin& origin = members_[at(set.front())].origin;
  const std::size_t n = at(size_of(members_[at(set.front())].node.leaf->shape));
  for (std::size_t j = 0; j < n; ++j) {
    Expr sum = 0.0;
    for (const int k : set) {
      const Expr x = c_.value_of(*members_[at(k)].node.leaf).e[j];
      sum = members_[at(k)].node.outside ? sum - x : sum + x;
    }
    FlatEquation e{sum, 0.0, origin};
    e.origin.kind = Origin::Kind::flow_balance;
    out.push_back(std::move(e));
  }
}

void Connections::free_flow(Instance& leaf, std::vector<FlatEquation>& out) {
  if (!leaf.prefixes.flow || numbers_.count({&leaf, false})) return;
  const Value x = c_.value_of(leaf);
  for (const Expr& e : x.e) {
    FlatEquation zero{e, 0.0, {}};
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
