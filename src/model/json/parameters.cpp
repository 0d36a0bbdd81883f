// SPDX-License-Identifier: BSD-3-Clause
#include <deque>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/json/reader.hpp"

namespace daedalus::model {
namespace {

const JsonValue& value_of(const JsonValue::Member& member) {
  const JsonValue* inner =
      member.value.is(JsonValue::Kind::object) ? member.value.find("value") : &member.value;
  return inner ? *inner : member.value;
}

}  // namespace

bool Reader::new_name(const JsonValue::Member& member) {
  const std::string& name = member.name;
  if (name.empty()) {
    diagnostics_.error(member.span, "a name is empty");
    return false;
  }
  if (name.size() > 1 && name.front() == '\'' && name.back() == '\'') {
    diagnostics_.error(member.span, "a name is declared without single quotes",
                       fmt::format("write \"{}\" here, and {} in formulas",
                                   name.substr(1, name.size() - 2), name));
    return false;
  }
  if (name == "time" || name == "der" || name == "pre") {
    diagnostics_.error(member.span, fmt::format("'{}' has a meaning of its own", name),
                       "choose another name");
    return false;
  }
  if (!scope_->has(name)) return true;
  diagnostics_.error(member.span, fmt::format("there is a '{}' already", name),
                     "variables, parameters, tables and outputs share their names");
  return false;
}

ParameterOptions Reader::parameter_options(const JsonValue::Member& member) {
  ParameterOptions o;
  o.position = position(member.span);
  if (!member.value.is(Kind::object)) return o;
  const Fields fields(member.value, "a parameter", {"value", "unit", "min", "max", "description"},
                      diagnostics_);
  fields.find("value") || (fields.need("value", Kind::number), true);
  o.unit = fields.text("unit");
  o.description = fields.text("description");
  o.min = fields.number("min", o.min);
  o.max = fields.number("max", o.max);
  return o;
}

void Reader::parameter(const JsonValue::Member& member) {
  const JsonValue& value = value_of(member);
  const ParameterOptions o = parameter_options(member);
  if (!is_kind(value, Kind::number, fmt::format("parameter '{}'", member.name), diagnostics_))
    return;
  if (value.number < o.min || value.number > o.max) {
    diagnostics_.error(value.span, fmt::format("parameter '{}' is {:g}, outside of {:g} to {:g}",
                                               member.name, value.number, o.min, o.max));
    return;
  }
  guarded(member.span,
          [&] { scope_->add(member.name, builder_->parameter(member.name, value.number, o)); });
}

// A list of numbers, or of lists of numbers.
void Reader::array_parameter(const JsonValue::Member& member, const JsonValue& values) {
  const ParameterOptions o = parameter_options(member);
  Array array;
  array.sizes.push_back(static_cast<int>(values.items.size()));
  const bool matrix = !values.items.empty() && values.items.front().is(Kind::array);
  if (matrix) array.sizes.push_back(static_cast<int>(values.items.front().items.size()));
  std::vector<const JsonValue*> numbers;
  for (const JsonValue& row : values.items) {
    if (!matrix) {
      numbers.push_back(&row);
      continue;
    }
    if (!is_kind(row, Kind::array, "a row of a parameter", diagnostics_)) return;
    if (static_cast<int>(row.items.size()) != array.sizes.back()) {
      diagnostics_.error(row.span, fmt::format("this row of '{}' has {} numbers, the first one {}",
                                               member.name, row.items.size(), array.sizes.back()));
      return;
    }
    for (const JsonValue& one : row.items) numbers.push_back(&one);
  }
  for (const JsonValue* value : numbers) {
    if (!is_kind(*value, Kind::number, "an element of a parameter", diagnostics_)) return;
    guarded(member.span, [&] {
      const auto element = subscripts_of(static_cast<int>(array.elements.size()) + 1, array.sizes);
      array.elements.push_back(builder_->parameter(
          fmt::format("{}[{}]", member.name, fmt::join(element, ",")), value->number, o));
    });
  }
  scope_->add_array(member.name, std::move(array));
}

// In the order of their dependence, whatever the order of the file.
void Reader::dependent_parameters(const std::vector<const JsonValue::Member*>& list) {
  std::map<std::string, std::size_t> number;
  for (std::size_t k = 0; k < list.size(); ++k) number[list[k]->name] = k;
  std::vector<std::vector<std::size_t>> users(list.size());
  std::vector<int> waits(list.size(), 0);
  for (std::size_t k = 0; k < list.size(); ++k) {
    Diagnostics silent(diagnostics_);  // what is wrong is reported when it is lowered
    const auto formula = parse(value_of(*list[k]).fragment(), Want::expression, silent);
    if (!formula) continue;
    for (const Syntax& node : formula->nodes)
      if (node.kind == SyntaxKind::name)
        if (const auto other = number.find(formula->plain_name(node)); other != number.end())
          users[other->second].push_back(k), ++waits[k];
  }
  std::deque<std::size_t> ready;
  for (std::size_t k = 0; k < list.size(); ++k)
    if (waits[k] == 0) ready.push_back(k);
  std::size_t done = 0;
  for (; !ready.empty(); ready.pop_front(), ++done) {
    const JsonValue::Member& member = *list[ready.front()];
    const ParameterOptions o = parameter_options(member);
    const auto value = expression(value_of(member), "a parameter");
    // A wrong one is known all the same, so that its users are not reported, too.
    guarded(member.span, [&] {
      scope_->add(member.name, builder_->dependent_parameter(member.name, value.value_or(0.0), o));
    });
    for (const std::size_t user : users[ready.front()])
      if (--waits[user] == 0) ready.push_back(user);
  }
  if (done == list.size()) return;
  std::vector<std::string> circle;
  const JsonValue::Member* first = nullptr;
  for (std::size_t k = 0; k < list.size(); ++k)
    if (waits[k] > 0) {
      if (!first) first = list[k];
      circle.push_back(list[k]->name);
      scope_->add(list[k]->name, 0.0);
    }
  diagnostics_.error(first->span, fmt::format("parameters depend on each other in a circle: {}",
                                              fmt::join(circle, ", ")));
}

void Reader::parameters(const JsonValue& section) {
  if (!is_kind(section, Kind::object, "'parameters'", diagnostics_)) return;
  scope_->set_word("parameter");
  std::vector<const JsonValue::Member*> dependent;
  for (const JsonValue::Member& member : section.members) {
    if (!new_name(member)) continue;
    const JsonValue& value = value_of(member);
    if (value.is(Kind::string))
      dependent.push_back(&member);
    else if (value.is(Kind::array))
      array_parameter(member, value);
    else
      parameter(member);
  }
  dependent_parameters(dependent);
}

}  // namespace daedalus::model
