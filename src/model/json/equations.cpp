// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <fmt/format.h>

#include "model/json/reader.hpp"

namespace daedalus::model {
namespace {

// Instances of one repeated equation; more would not fit into memory when written out.
constexpr double max_instances = 1e7;
// Names of equations in messages; longer texts are cut.
constexpr std::size_t max_name = 60;

}  // namespace

ItemOptions Reader::item_options(const JsonValue& value, std::string name) {
  ItemOptions o;
  if (name.size() > max_name) name = name.substr(0, max_name - 3) + "...";
  o.name = std::move(name);
  o.position = position(value.fragment().whole());
  return o;
}

std::vector<LoopIndex> Reader::loop_indices(const JsonValue& section) {
  std::vector<LoopIndex> loop;
  if (!is_kind(section, Kind::object, "'for'", diagnostics_)) return {};
  double instances = 1.0;
  for (const JsonValue::Member& member : section.members) {
    const JsonValue& range = member.value;
    std::vector<double> ends;
    if (range.is(Kind::array) && range.items.size() == 2)
      for (const JsonValue& end : range.items)
        if (const auto value = expression(end, "an end of a range"); value && value->is_number())
          ends.push_back(value->number());
    if (ends.size() != 2 || ends[0] != std::round(ends[0]) || ends[1] != std::round(ends[1]) ||
        std::fabs(ends[0]) > max_instances || std::fabs(ends[1]) > max_instances) {
      diagnostics_.error(range.span,
                         fmt::format("the range of '{}' must be two integers", member.name),
                         "write \"for\": {\"i\": [1, 10]}");
      return {};
    }
    loop.push_back({member.name, static_cast<long>(ends[0]), static_cast<long>(ends[1])});
    instances *= std::max(0.0, ends[1] - ends[0] + 1.0);
  }
  if (instances >= 1.0 && instances <= max_instances && !loop.empty()) return loop;
  diagnostics_.error(section.span, loop.empty() ? "'for' names no index"
                                   : instances < 1.0
                                       ? "the range is empty"
                                       : "the range has more than ten million instances");
  return {};
}

// Equations that differ only in indices stay one kernel; a single one is written out.
void Reader::repeated(const JsonValue& value, bool initial) {
  const Fields fields(value, "an equation", {"for", "equation", "name", "description"},
                      diagnostics_);
  const JsonValue* text = fields.need("equation", Kind::string);
  const JsonValue* range = fields.find("for");
  const std::vector<LoopIndex> loop = range ? loop_indices(*range) : std::vector<LoopIndex>{};
  if (!text || (range && loop.empty())) return;
  const auto formula = parsed(*text, Want::equation, "an equation");
  if (!formula) return;
  const ItemOptions item = item_options(*text, fields.text("name", text->string));
  if (!range || initial) {
    if (range)
      diagnostics_.error(range->span, "initial equations are written one by one, without 'for'");
    else if (const auto sides = equation(*text))
      guarded(text->span, [&] {
        initial ? builder_->initial_equation(sides->left, sides->right, item)
                : builder_->equation(sides->left, sides->right, item);
      });
    return;
  }
  rolled(*text, *formula, loop, item);
}

std::vector<ModelBuilder::Row> Reader::rows(const JsonValue& list) {
  std::vector<ModelBuilder::Row> out;
  for (const JsonValue& text : list.items)
    if (const auto sides = equation(text)) out.push_back({sides->left, sides->right});
  return out;
}

void Reader::conditional(const JsonValue& value) {
  const Fields fields(value, "an if-equation", {"if", "then", "else", "name", "description"},
                      diagnostics_);
  const JsonValue* condition_text = fields.need("if", Kind::string);
  const JsonValue* then_list = fields.need("then", Kind::array);
  const JsonValue* else_list = fields.need("else", Kind::array);
  if (!condition_text || !then_list || !else_list) return;
  if (then_list->items.size() != else_list->items.size())
    diagnostics_.error(else_list->span,
                       fmt::format("'then' has {} equations, 'else' has {}",
                                   then_list->items.size(), else_list->items.size()),
                       "both must have as many, so that the model is determined in either mode");
  const auto condition = expression(*condition_text, "a condition");
  const auto then_rows = rows(*then_list), else_rows = rows(*else_list);
  if (!condition || then_rows.size() != else_rows.size() ||
      then_rows.size() != then_list->items.size())
    return;
  const ItemOptions item = item_options(*condition_text, fields.text("name"));
  guarded(condition_text->span,
          [&] { builder_->if_equations(*condition, then_rows, else_rows, item); });
}

void Reader::one_equation(const JsonValue& value, bool initial) {
  if (value.is(Kind::object)) {
    if (value.find("if") && !initial) return conditional(value);
    return repeated(value, initial);
  }
  const auto sides = equation(value);
  if (!sides) return;
  const ItemOptions item = item_options(value, value.string);
  guarded(value.span, [&] {
    initial ? builder_->initial_equation(sides->left, sides->right, item)
            : builder_->equation(sides->left, sides->right, item);
  });
}

void Reader::equations(const JsonValue& section, bool initial) {
  if (!is_kind(section, Kind::array, initial ? "'initial_equations'" : "'equations'", diagnostics_))
    return;
  for (const JsonValue& value : section.items) {
    if (diagnostics_.full()) return;
    one_equation(value, initial);
  }
}

}  // namespace daedalus::model
