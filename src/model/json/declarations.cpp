// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <fmt/format.h>

#include "model/json/reader.hpp"

namespace daedalus::model {
namespace {

// Larger arrays than this do not fit into the memory of the machines that read models.
constexpr double max_size = 1e7;

}  // namespace

// Of element i of an array the start value may depend on i.
Expr Reader::start_value(const JsonValue& value, int element) {
  if (element > 0 && value.is(Kind::array)) {
    const auto k = static_cast<std::size_t>(element - 1);
    return k < value.items.size() ? start_value(value.items[k], 0) : Expr(0.0);
  }
  if (element > 0) scope_->set_index("i", element);
  const auto start = expression(value, "a start value");
  if (element > 0) scope_->remove_index("i");
  return start.value_or(0.0);
}

VariableOptions Reader::variable_options(const JsonValue::Member& member, int element) {
  VariableOptions o;
  o.position = position(member.span);
  const JsonValue& value = member.value;
  if (value.is(Kind::null)) return o;
  if (!value.is(Kind::object)) {
    o.start = start_value(value, element);
    return o;
  }
  const Fields fields(value, "a variable",
                      {"start", "fixed", "nominal", "min", "max", "unit", "description", "size"},
                      diagnostics_);
  if (const JsonValue* start = fields.find("start")) o.start = start_value(*start, element);
  o.fixed = fields.truth("fixed", false);
  o.nominal = fields.number("nominal", o.nominal);
  o.min = fields.number("min", o.min);
  o.max = fields.number("max", o.max);
  o.unit = fields.text("unit");
  o.description = fields.text("description");
  if (!(o.nominal > 0.0))
    diagnostics_.error(value.find("nominal")->span, "'nominal' must be positive",
                       "it is the size of large values of the variable");
  if (!(o.min <= o.max))
    diagnostics_.error(value.find("max") ? value.find("max")->span : value.span,
                       fmt::format("'max' is below 'min' ({:g} < {:g})", o.max, o.min));
  return o;
}

void Reader::array_variable(const JsonValue::Member& member, int size, bool discrete,
                            Arrays& arrays) {
  const JsonValue* start = member.value.find("start");
  if (start && start->is(Kind::array) && start->items.size() != static_cast<std::size_t>(size)) {
    diagnostics_.error(start->span, fmt::format("'start' has {} values, '{}' has size {}",
                                                start->items.size(), member.name, size));
    return;
  }
  const bool varies = start && !start->is(Kind::number);
  VariableOptions o = variable_options(member, 1);
  std::vector<Expr> elements;
  elements.reserve(static_cast<std::size_t>(size));
  guarded(member.span, [&] {
    for (int k = 1; k <= size && diagnostics_.errors() == 0; ++k) {
      if (varies) o.start = start_value(*start, k);
      const std::string name = fmt::format("{}[{}]", member.name, k);
      elements.push_back(discrete ? builder_->discrete(name, o) : builder_->variable(name, o));
    }
  });
  arrays.emplace_back(member.name, std::move(elements));
}

void Reader::variables(const JsonValue& section, bool discrete) {
  if (!is_kind(section, Kind::object, discrete ? "'discrete'" : "'variables'", diagnostics_))
    return;
  scope_->set_word("parameter");  // start values depend on parameters only
  std::vector<std::pair<std::string, Expr>> scalars;
  Arrays arrays;
  for (const JsonValue::Member& member : section.members) {
    if (!new_name(member)) continue;
    const JsonValue* size = member.value.is(Kind::object) ? member.value.find("size") : nullptr;
    if (!size) {
      const VariableOptions o = variable_options(member);
      guarded(member.span, [&] {
        scalars.emplace_back(member.name, discrete ? builder_->discrete(member.name, o)
                                                   : builder_->variable(member.name, o));
      });
    } else if (is_kind(*size, Kind::number, "'size'", diagnostics_)) {
      if (size->number >= 1.0 && size->number <= max_size &&
          size->number == std::round(size->number))
        array_variable(member, static_cast<int>(size->number), discrete, arrays);
      else
        diagnostics_.error(size->span, "'size' must be a positive integer");
    }
  }
  for (auto& [name, value] : scalars) scope_->add(std::move(name), value);
  for (auto& [name, elements] : arrays) scope_->add_array(name, std::move(elements));
}

}  // namespace daedalus::model
