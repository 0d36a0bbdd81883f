// SPDX-License-Identifier: BSD-3-Clause
// Operators about time: derivatives, values before events, clocks, and what makes no events.
#include <utility>

#include <fmt/format.h>

#include "modelica/builtins.hpp"

namespace daedalus::modelica {
namespace {

Value quiet(const BuiltinCall& b, std::size_t k) {
  ++b.c.no_events;
  Value v = b.argument(k);
  --b.c.no_events;
  return v;
}

Value derivative(const BuiltinCall& b) {
  b.arguments(1);
  Value v = b.argument(0);
  if (!v.numeric())
    throw Mistake{Phase::types, b.call.place, fmt::format("der does not take {}", type_text(v))};
  if (v.variability == Variability::discrete)
    throw Mistake{Phase::types, b.call.place,
                  fmt::format("'{}' changes at events only; it has no derivative",
                              b.c.files.text(b.operand(0).place))};
  v.base = Base::real;
  try {
    for (Expr& e : v.e) e = der(e);
  } catch (const InvalidArgument&) {
    throw Mistake{Phase::types, b.call.place,
                  fmt::format("not supported yet: the derivative of a derivative, '{}'",
                              b.c.files.text(b.call.place)),
                  "give the first one a name: v = der(x), then der(v)"};
  }
  return v;
}

Value previous(const BuiltinCall& b) {
  b.arguments(1);
  // In an algorithm too: the value before the event, whatever was assigned so far.
  const bool around = std::exchange(b.c.before_section, b.c.in_functions == 0);
  Value v = b.argument(0);
  b.c.before_section = around;
  for (Expr& e : v.e) {
    if (e.is_number()) continue;
    if (v.variability <= Variability::parameter) continue;
    if (!b.c.graph->is_input(e) || b.c.graph->kind(e.node()) == graph::InputKind::previous ||
        b.c.graph->kind(e.node()) == graph::InputKind::derivative)
      throw Mistake{Phase::events, b.call.place, "pre takes a variable",
                    "give the expression a name by a variable of its own"};
    e = pre(e);
  }
  v.variability = std::min(v.variability, Variability::discrete);
  return v;
}

Value compared_with_previous(const BuiltinCall& b, bool edge) {
  const Value before = previous(b);
  Value v = b.argument(0);
  if (edge && v.base != Base::boolean)
    throw Mistake{Phase::types, b.call.place, fmt::format("edge does not take {}", type_text(v))};
  for (std::size_t k = 0; k < v.e.size(); ++k)
    v.e[k] = edge ? v.e[k] && !before.e[k] : v.e[k] != before.e[k];
  v.base = Base::boolean;
  v.type = nullptr;
  v.variability = Variability::discrete;
  return v;
}

Value sampled(const BuiltinCall& b) {
  b.arguments(2);
  const Value first = b.argument(0), period = b.argument(1);
  if (first.variability > Variability::parameter || period.variability > Variability::parameter)
    throw Mistake{Phase::events, b.call.place, "the times of sample() follow from parameters"};
  return boolean_value(
      b.c.sample(b.c.scalar(b.operand(0), b.env, false), b.c.scalar(b.operand(1), b.env, false)),
      Variability::discrete);
}

Value smooth(const BuiltinCall& b) {
  b.arguments(2);
  return b.integer(0) >= 1 ? quiet(b, 1) : b.argument(1);
}

Value delayed(const BuiltinCall& b) {
  if (b.call.operands.size() != 3) b.arguments(2);
  Value v = b.argument(0);
  if (!v.numeric())
    throw Mistake{Phase::types, b.call.place, fmt::format("delay does not take {}", type_text(v))};
  if (b.c.in_functions > 0 || !b.c.delay)
    throw Mistake{Phase::types, b.call.place, "delay stands in a function"};
  const Expr time = b.c.scalar(b.operand(1), b.env, false);
  if (!time.is_number() && !b.c.graph->is_input(time) &&
      b.argument(1).variability > Variability::parameter)
    throw Mistake{Phase::events, b.call.place, "not supported yet: a delay by a time that varies",
                  "give it a parameter"};
  if (!time.is_number()) b.c.make_structural(time);
  if (!time.is_number() || !(time.number() > 0.0))
    throw Mistake{Phase::parameters, b.call.place, "the time of delay() is a number above 0"};
  v.base = Base::real;
  for (Expr& e : v.e)
    if (!e.is_number()) e = b.c.delay(e, time.number());
  return v;
}

Value homotopy(const BuiltinCall& b) {
  const Value actual = b.argument(0, "actual"), simple = b.argument(1, "simplified");
  Value r = actual;
  bool same = true;
  if (actual.shape != simple.shape || !actual.numeric() || !simple.numeric())
    throw Mistake{
        Phase::types, b.call.place,
        fmt::format("homotopy does not take {} and {}", type_text(actual), type_text(simple))};
  for (std::size_t k = 0; k < r.e.size(); ++k) same = same && actual.e[k].same(simple.e[k]);
  if (same) return actual;
  const Expr share = b.c.homotopy_share();
  for (std::size_t k = 0; k < r.e.size(); ++k)
    r.e[k] = share * actual.e[k] + (1.0 - share) * simple.e[k];
  return r;
}

Value semi_linear(const BuiltinCall& b) {
  b.arguments(3);
  const Expr x = b.c.scalar(b.operand(0), b.env, false),
             up = b.c.scalar(b.operand(1), b.env, false),
             down = b.c.scalar(b.operand(2), b.env, false);
  return real_value(select(x >= 0.0, up, down) * x, Variability::continuous);
}

Value cardinality(const BuiltinCall& b) {
  Shape shape;
  const std::vector<Instance*> list = b.c.instances_of(b.operand(0), b.env, shape);
  const auto found = list.empty() ? b.c.cardinality.end() : b.c.cardinality.find(list.front());
  return integer_value(found == b.c.cardinality.end() ? 0 : found->second);
}

Builtin refused(std::string why) {
  return [why](const BuiltinCall& b) -> Value {
    throw Mistake{Phase::types, b.call.place,
                  fmt::format("not supported yet: {}", b.call.plain_name()), why};
  };
}

}  // namespace

void add_event_operators(std::unordered_map<std::string, Builtin>& t) {
  t["der"] = derivative;
  t["pre"] = previous;
  t["edge"] = [](const BuiltinCall& b) { return compared_with_previous(b, true); };
  t["change"] = [](const BuiltinCall& b) { return compared_with_previous(b, false); };
  t["sample"] = sampled;
  t["initial"] = [](const BuiltinCall& b) {
    return boolean_value(b.c.initial(), Variability::discrete);
  };
  t["terminal"] = [](const BuiltinCall&) { return boolean_value(0.0, Variability::discrete); };
  t["noEvent"] = [](const BuiltinCall& b) { return quiet(b, 0); };
  t["smooth"] = smooth;
  t["homotopy"] = homotopy;
  t["semiLinear"] = semi_linear;
  t["cardinality"] = cardinality;
  t["getInstanceName"] = [](const BuiltinCall& b) {
    return string_value(joined_name(
        b.c.root->name, b.env.scope && b.env.scope->instance ? b.env.scope->instance->path() : ""));
  };
  t["delay"] = delayed;
  t["inStream"] = t["actualStream"] = refused("stream connectors are not read");
  t["spatialDistribution"] = refused("discretise the transport in space");
}

}  // namespace daedalus::modelica
