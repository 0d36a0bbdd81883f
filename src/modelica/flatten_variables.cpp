// SPDX-License-Identifier: BSD-3-Clause
// Which variables a model has, what changes at events only, and their attributes.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/at.hpp"
#include "modelica/flatten.hpp"
#include "modelica/past.hpp"
#include "modelica/statements.hpp"

namespace daedalus::modelica {
namespace {

std::string element_name(const std::string& path, const Shape& shape, int k) {
  if (shape.empty()) return path;
  std::vector<int> subs(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    subs[d] = k % shape[d] + 1;
    k /= shape[d];
  }
  return fmt::format("{}[{}]", path, fmt::join(subs, ","));
}

// Of an attribute for element k; the default where it is not given.
Expr element(const Value& v, int k, double otherwise) {
  if (v.base == Base::nothing || v.e.empty()) return otherwise;
  return v.e[v.scalar() ? 0 : at(k)];
}

bool is_protected(const Instance& i) {
  for (const Instance* up = &i; up; up = up->parent)
    if (up->prefixes.protected_) return true;
  return false;
}

}  // namespace

void Flattener::connect_to_graph() {
  c_.graph = flat_.graph.get();
  c_.make_parameter = [this](Instance& i, int k, double value) {
    return new_parameter(i, k, value);
  };
  c_.declare = [this](Instance& i) { declare(i); };
  c_.initial = [this] {
    if (flat_.initial.is_number()) flat_.initial = c_.graph->mode("initial()");
    return flat_.initial;
  };
  c_.sample = [this](const Expr& first, const Expr& period) {
    for (const FlatSample& s : flat_.samples)
      if (s.first.same(first) && s.period.same(period)) return s.input;
    const Expr input =
        c_.graph->mode(fmt::format("sample({}, {})", text(first, 40), text(period, 40)));
    flat_.samples.push_back({first, period, input});
    return input;
  };
  c_.delay = [this](const Expr& value, double time) {
    const int number = static_cast<int>(flat_.delays.size()) + 1;
    const Expr history = c_.graph->mode(fmt::format("delay[{}]", number));
    flat_.delays.push_back({value, history, time, number});
    const Expr arguments[] = {history, c_.graph->time(), value};
    return c_.graph->external(read_history(number, time), arguments);
  };
  c_.homotopy_share = [this] {
    if (flat_.homotopy_share.is_number()) {
      flat_.homotopy_share = c_.graph->parameter("homotopy()");
      c_.by_parameter.push_back(nullptr);
    }
    return flat_.homotopy_share;
  };
  c_.require = [this](const Expr& condition, const std::string& message, bool, const Place& place) {
    flat_.requirements.push_back(
        {guard_.is_number(1.0) ? condition : (!guard_ || condition), message, place});
  };
}

// What when-clauses assign changes at events only.
void Flattener::find_discrete(Instance& i) {
  for (const Scope* scope : i.contributions)
    for (const ast::Section& s : scope->cls->sections) {
      if (s.initial) find_unknown_parameters(s, scope);
      find_discrete(s.equations, {scope, nullptr}, false);
    }
  for (Instance* child : i.children) {
    if (child->off || child->inner || child->simple()) continue;
    if (child->array_of_components())
      for (Instance* element : child->elements) find_discrete(*element);
    else
      find_discrete(*child);
  }
}

// Parameters with fixed = false that an initial section gives.
void Flattener::find_unknown_parameters(const ast::Section& s, const Scope* scope) {
  const auto unknown = [&](const std::string& name) -> Instance* {
    const auto found = scope->instance->by_name.find(name);
    if (found == scope->instance->by_name.end()) return nullptr;
    Instance* i = found->second;
    return i->simple() && !i->off && c_.is_unknown_parameter(*i) ? i : nullptr;
  };
  if (s.algorithm) {
    std::vector<std::string> names;
    assigned_names(s.equations, names);
    std::vector<Instance*> targets;
    for (const std::string& name : names) targets.push_back(unknown(name));
    if (std::count(targets.begin(), targets.end(), nullptr) > 0) return;
    for (Instance* i : targets) {
      i->initial_algorithm = &s;
      i->initial_scope = scope;
    }
    return;
  }
  const auto target = [&](const ast::Expression& e) -> Instance* {
    const bool name = e.kind == ast::Kind::reference && e.parts.size() == 1;
    return name && e.parts.front().subscripts.empty() ? unknown(e.parts.front().name) : nullptr;
  };
  std::vector<const ast::Equation*> open(s.equations.rbegin(), s.equations.rend());
  while (!open.empty()) {
    const ast::Equation* e = open.back();
    open.pop_back();
    if (e->kind == ast::Equation::Kind::if_)
      for (const ast::Equation* inner : decided_branch(*e, scope)) open.push_back(inner);
    if (e->kind != ast::Equation::Kind::equal) continue;
    ast::Expressions left{e->left};
    if (e->left->kind == ast::Kind::tuple) left = e->left->operands;
    std::vector<Instance*> targets;
    for (const ast::Expression* one : left) targets.push_back(target(*one));
    if (std::count(targets.begin(), targets.end(), nullptr) > 0) continue;
    for (Instance* i : targets) {
      i->initial_equation = e;
      i->initial_scope = scope;
    }
  }
}

// What holds of an if-equation whose conditions are numbers.
ast::Equations Flattener::decided_branch(const ast::Equation& e, const Scope* scope) {
  for (const ast::Branch& b : e.branches) {
    if (!b.condition) return b.body;
    Value v;
    try {
      v = c_.evaluate(*b.condition, {scope, nullptr});
    } catch (const Mistake&) {
      return {};  // the equation itself tells
    }
    if (v.e.size() != 1 || !v.e.front().is_number()) return {};
    if (!v.e.front().is_number(0.0)) return b.body;
  }
  return {};
}

void Flattener::mark_discrete(const ast::Expression& e, const Env& env) {
  if (e.kind == ast::Kind::tuple) {
    for (const ast::Expression* o : e.operands) mark_discrete(*o, env);
    return;
  }
  if (e.kind != ast::Kind::reference) return;
  // Subscripts may use loop variables: the whole array counts then.
  ast::Expression plain = e;
  for (ast::Part& p : plain.parts) p.subscripts.clear();
  Shape shape;
  for (Instance* i : c_.instances_of(plain, env, shape))
    if (i->simple()) i->discrete = true;
}

void Flattener::find_discrete(const ast::Equations& list, const Env& env, bool inside) {
  for (const ast::Equation* e : list) {
    if (inside && (e->kind == ast::Equation::Kind::equal || e->kind == ast::Equation::Kind::assign))
      guarded([&] { mark_discrete(*e->left, env); });
    for (const ast::Branch& b : e->branches)
      find_discrete(b.body, env, inside || e->kind == ast::Equation::Kind::when);
  }
}

Expr Flattener::new_parameter(Instance& i, int k, double value) {
  const Expr p = c_.graph->parameter(element_name(i.path(), i.shape, k));
  i.literals.push_back(value);
  c_.by_parameter.push_back(&i);
  return p;
}

FlatVariable Flattener::variable_of(Instance& i) {
  FlatVariable v;
  v.comment = i.component->comment;
  v.base = i.base;
  v.type = i.type.def;
  v.protected_ = is_protected(i);
  v.place = i.place();
  v.discrete = i.variability() == Variability::discrete;
  v.unknown_parameter = i.variability() == Variability::parameter;
  v.input = i.prefixes.input && i.parent == c_.root;
  const Value unit = c_.attribute(i, "unit"), display = c_.attribute(i, "displayUnit");
  if (!unit.s.empty()) v.unit = unit.s.front();
  if (!display.s.empty()) v.display_unit = display.s.front();
  return v;
}

// A variable takes some hundred bytes; a slip in a size must not ask for all memory.
constexpr std::size_t max_variables = 5'000'000;

void Flattener::declare(Instance& i) {
  const FlatVariable common = variable_of(i);
  const int count = size_of(i.shape);
  if (flat_.variables.size() + flat_.discretes.size() + at(count) > max_variables)
    throw Mistake{Phase::expand, i.place(),
                  fmt::format("the model has more than {} variables", max_variables)};
  Value start = c_.attribute(i, "start");
  if (start.base != Base::nothing)
    start = c_.converted(std::move(start), i.base, i.type.def, i.shape,
                         part(i.modifiers, "start")->place, i.path() + ".start");
  const Value fixed = c_.attribute(i, "fixed"), nominal = c_.attribute(i, "nominal"),
              low = c_.attribute(i, "min"), high = c_.attribute(i, "max");
  if (start.variability > Variability::parameter && start.base != Base::nothing)
    throw Mistake{Phase::start, part(i.modifiers, "start")->place,
                  fmt::format("the start value of '{}' depends on variables", i.path()),
                  "use an initial equation for that"};
  i.value.base = i.base;
  i.value.type = i.type.def;
  i.value.shape = i.shape;
  i.value.variability = common.discrete ? Variability::discrete : Variability::continuous;
  const std::string path = i.path();
  for (int k = 0; k < count; ++k) {
    FlatVariable v = common;
    v.name = element_name(path, i.shape, k);
    v.explicit_start = start.base != Base::nothing;
    v.start = element(start, k, i.base == Base::enumeration ? 1.0 : 0.0);
    if (v.base == Base::string)
      throw Mistake{Phase::types, i.place(),
                    fmt::format("not supported yet: the String variable '{}'", path),
                    "Strings are parameters and constants"};
    const Expr is_fixed = element(fixed, k, 0.0), size = element(nominal, k, 1.0);
    v.fixed = is_fixed.is_number() && is_fixed.number() != 0.0 && !v.unknown_parameter;
    if (!is_fixed.is_number()) c_.make_structural(is_fixed);
    if (size.is_number() && size.number() != 0.0) v.nominal = std::abs(size.number());
    const Expr least = element(low, k, v.min), most = element(high, k, v.max);
    if (least.is_number()) v.min = least.number();
    if (most.is_number()) v.max = most.number();
    v.value = v.discrete ? c_.graph->mode(v.name) : c_.graph->state(v.name);
    i.value.e.push_back(v.value);
    (v.discrete ? flat_.discretes : flat_.variables).push_back(std::move(v));
  }
}

void Flattener::note_parameter(Instance& i) {
  const Value& v = c_.value_of(i);
  if (v.base == Base::string) return;
  const std::string path = i.path();
  for (std::size_t k = 0; k < v.e.size(); ++k) {
    FlatParameter p;
    p.name = element_name(path, i.shape, static_cast<int>(k));
    p.comment = i.component->comment;
    const Value unit = c_.attribute(i, "unit");
    if (!unit.s.empty()) p.unit = unit.s.front();
    p.value = v.e[k];
    p.base = i.base;
    p.type = i.type.def;
    p.place = i.place();
    p.protected_ = is_protected(i);
    p.structural = i.structural;
    const bool literal = !i.modifiers || !i.modifiers->final_;
    const Expr& e = v.e[k];
    const int input = e.is_number() || !c_.graph->is_input(e) ? -1 : c_.graph->number(e.node());
    p.settable = input >= 0 && c_.graph->kind(e.node()) == graph::InputKind::parameter &&
                 c_.by_parameter[at(input)] == &i;
    if (v.e[k].is_number()) p.number = v.e[k].number();
    if (!v.e[k].is_number() && p.settable) p.number = i.literals[k];
    const Expr low = element(c_.attribute(i, "min"), static_cast<int>(k), p.min);
    const Expr high = element(c_.attribute(i, "max"), static_cast<int>(k), p.max);
    if (low.is_number()) p.min = low.number();
    if (high.is_number()) p.max = high.number();
    // Structural ones can be set as well: the model is compiled again then.
    if (i.structural && literal && !i.component->prefixes.final_ && v.e[k].is_number() &&
        (!i.modifiers || !i.modifiers->value ||
         c_.bound_value(i.modifiers).variability == Variability::constant))
      p.settable = true;
    flat_.parameters.push_back(std::move(p));
  }
}

void Flattener::declare_all(Instance& i) {
  for (Instance* child : i.children) {
    if (stop_) return;
    if (child->off || child->inner) continue;
    if (child->simple()) {
      guarded([&] {
        c_.value_of(*child);
        if (child->variability() == Variability::parameter && child->number < 0 &&
            !child->value.e.empty() &&
            (child->value.e.front().is_number() || flat_.number_of(child->value.e.front()) < 0))
          note_parameter(*child);
      });
    } else if (child->array_of_components()) {
      for (Instance* element : child->elements) declare_all(*element);
    } else {
      declare_all(*child);
    }
  }
}

}  // namespace daedalus::modelica
