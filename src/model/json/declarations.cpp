// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/json/reader.hpp"

namespace daedalus::model {
namespace {

// Larger arrays than this do not fit into the memory of the machines that read models.
constexpr double max_size = 1e7;
// What the subscripts of an element are called in its start value.
constexpr std::array<const char*, 3> subscript_names{"i", "j", "k"};

}  // namespace

// Of an element of an array the value may depend on its subscripts.
Expr Reader::element_value(const JsonValue& value, std::span<const int> element,
                           std::string_view what) {
  if (!element.empty() && value.is(Kind::array)) {
    const auto k = static_cast<std::size_t>(element.front() - 1);
    return k < value.items.size() ? element_value(value.items[k], element.subspan(1), what)
                                  : Expr(0.0);
  }
  for (std::size_t k = 0; k < element.size(); ++k)
    scope_->set_index(subscript_names[k], element[k]);
  const auto found = expression(value, what);
  for (std::size_t k = 0; k < element.size(); ++k) scope_->remove_index(subscript_names[k]);
  return found.value_or(0.0);
}

VariableOptions Reader::variable_options(const JsonValue::Member& member,
                                         std::span<const int> element) {
  VariableOptions o;
  o.position = position(member.span);
  const JsonValue& value = member.value;
  if (value.is(Kind::null)) return o;
  if (!value.is(Kind::object)) {
    o.start = element_value(value, element, "a start value");
    return o;
  }
  const Fields fields(value, "a variable",
                      {"start", "fixed", "nominal", "min", "max", "unit", "description", "size"},
                      diagnostics_);
  if (const JsonValue* start = fields.find("start"))
    o.start = element_value(*start, element, "a start value");
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

// None: they are wrong, and reported.
std::vector<int> Reader::array_sizes(const JsonValue& size) {
  std::vector<const JsonValue*> list{&size};
  if (size.is(Kind::array)) {
    list.clear();
    for (const JsonValue& one : size.items) list.push_back(&one);
  }
  std::vector<int> sizes;
  double product = 1.0;
  for (const JsonValue* one : list) {
    if (!is_kind(*one, Kind::number, "'size'", diagnostics_)) return {};
    if (!(one->number >= 1.0 && one->number <= max_size) ||
        one->number != std::round(one->number)) {
      diagnostics_.error(one->span, "'size' must be a positive integer");
      return {};
    }
    product *= one->number;
    sizes.push_back(static_cast<int>(one->number));
  }
  if (!sizes.empty() && sizes.size() <= subscript_names.size() && product <= max_size) return sizes;
  diagnostics_.error(size.span,
                     product > max_size ? "the array has more than ten million elements"
                                        : "an array has one to three subscripts",
                     "write \"size\": 10, or \"size\": [10, 20]");
  return {};
}

// Lists in lists, as many as there are subscripts.
bool Reader::array_fits(const JsonValue& list, std::string_view field, const std::string& name,
                        std::span<const int> sizes, std::size_t all) {
  if (!list.is(Kind::array)) {
    diagnostics_.error(list.span, fmt::format("a row of '{}' must be a list", name));
    return false;
  }
  if (list.items.size() != static_cast<std::size_t>(sizes.front())) {
    diagnostics_.error(list.span, sizes.size() == all
                                      ? fmt::format("'{}' has {} values, '{}' has size {}", field,
                                                    list.items.size(), name, sizes.front())
                                      : fmt::format("a row of '{}' has {} of {} values of '{}'",
                                                    field, list.items.size(), sizes.front(), name));
    return false;
  }
  return sizes.size() == 1 ||
         std::all_of(list.items.begin(), list.items.end(), [&](const JsonValue& row) {
           return array_fits(row, field, name, sizes.subspan(1), all);
         });
}

void Reader::array_variable(const JsonValue::Member& member, const std::vector<int>& sizes,
                            bool discrete, Arrays& arrays) {
  const JsonValue* start = member.value.find("start");
  if (start && start->is(Kind::array) &&
      !array_fits(*start, "start", member.name, sizes, sizes.size()))
    return;
  const bool varies = start && !start->is(Kind::number);
  VariableOptions o = variable_options(member, std::vector<int>(sizes.size(), 1));
  Array array;
  array.sizes = sizes;
  int count = 1;
  for (const int size : sizes) count *= size;
  array.elements.reserve(static_cast<std::size_t>(count));
  guarded(member.span, [&] {
    for (int k = 1; k <= count && diagnostics_.errors() == 0; ++k) {
      const std::vector<int> element = subscripts_of(k, sizes);
      if (varies) o.start = element_value(*start, element, "a start value");
      const std::string name = fmt::format("{}[{}]", member.name, fmt::join(element, ","));
      array.elements.push_back(discrete ? builder_->discrete(name, o)
                                        : builder_->variable(name, o));
    }
  });
  array.elements.resize(static_cast<std::size_t>(count));  // after an error: what is missing is 0
  arrays.emplace_back(member.name, std::move(array));
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
    } else if (const std::vector<int> sizes = array_sizes(*size); !sizes.empty()) {
      array_variable(member, sizes, discrete, arrays);
    }
  }
  for (auto& [name, value] : scalars) scope_->add(std::move(name), value);
  for (auto& [name, array] : arrays) scope_->add_array(name, std::move(array));
}

}  // namespace daedalus::model
