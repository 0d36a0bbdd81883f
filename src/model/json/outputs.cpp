// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/json/reader.hpp"

namespace daedalus::model {

void Reader::outputs(const JsonValue& section) {
  if (!is_kind(section, Kind::object, "'outputs'", diagnostics_)) return;
  for (const JsonValue::Member& member : section.members) {
    if (!new_name(member)) continue;
    const JsonValue* text = &member.value;
    ItemOptions item;
    item.position = position(member.span);
    if (text->is(Kind::object)) {
      const Fields fields(*text, "an output", {"value", "unit", "description", "size"},
                          diagnostics_);
      item.unit = fields.text("unit");
      item.description = fields.text("description");
      const JsonValue *size = fields.find("size"), *value = fields.find("value");
      if (size && value) {
        array_output(member, *value, array_sizes(*size), item);
        continue;
      }
      text = fields.need("value", Kind::string);
    }
    if (!text) continue;
    if (const auto value = expression(*text, "an output"))
      guarded(member.span, [&] {
        builder_->output(member.name, *value, item);
        scope_->add(member.name, *value);  // later outputs may use it
      });
  }
}

// y[1], y[2], ...: a list of formulas, or one of the subscripts i, j and k.
void Reader::array_output(const JsonValue::Member& member, const JsonValue& value,
                          const std::vector<int>& sizes, const ItemOptions& item) {
  if (sizes.empty()) return;
  if (value.is(Kind::array) && !array_fits(value, "value", member.name, sizes, sizes.size()))
    return;
  Array array;
  array.sizes = sizes;
  int count = 1;
  for (const int size : sizes) count *= size;
  const int wrong = diagnostics_.errors();
  for (int k = 1; k <= count && diagnostics_.errors() == wrong; ++k) {
    const std::vector<int> element = subscripts_of(k, sizes);
    array.elements.push_back(element_value(value, element, "an output"));
    guarded(member.span, [&] {
      builder_->output(fmt::format("{}[{}]", member.name, fmt::join(element, ",")),
                       array.elements.back(), item);
    });
  }
  array.elements.resize(static_cast<std::size_t>(count));  // after an error: what is missing is 0
  scope_->add_array(member.name, std::move(array));
}

// Names for parts of formulas; each may use those before it.
void Reader::definitions(const JsonValue& section) {
  if (!is_kind(section, Kind::object, "'definitions'", diagnostics_)) return;
  for (const JsonValue::Member& member : section.members) {
    if (!new_name(member)) continue;
    // What is wrong is known all the same, so that its users are not reported, too.
    scope_->add(member.name, expression(member.value, "a definition").value_or(0.0));
  }
}

void Reader::reference(const JsonValue& section, Entry& entry) {
  const Fields fields(section, "'reference'", {"t", "values", "counted", "digits", "source"},
                      diagnostics_);
  Reference r;
  r.t = fields.number("t", entry.t_end);
  constexpr double most_digits = 40.0;  // of quadruple precision, and a few
  if (const double digits = fields.number("digits", 0.0); digits >= 0.0 && digits <= most_digits)
    r.digits = static_cast<int>(digits);
  else
    diagnostics_.error(fields.find("digits")->span, "'digits' must be a number from 0 to 40");
  r.source = fields.text("source");
  if (const JsonValue* values = fields.need("values", Kind::object))
    for (const JsonValue::Member& member : values->members)
      if (is_kind(member.value, Kind::number, "a reference value", diagnostics_))
        r.values.emplace_back(member.name, member.value.number);
  if (const JsonValue* counted = fields.of("counted", Kind::array))
    for (const JsonValue& name : counted->items)
      if (is_kind(name, Kind::string, "a counted variable", diagnostics_))
        r.counted.push_back(name.string);
  entry.reference = std::move(r);
}

// What `daedalus show` tells besides the equations.
void Reader::facts(const JsonValue& document, Entry& entry) {
  if (const JsonValue* text = document.find("source"); text && text->is(Kind::string))
    entry.source = text->string;
  if (const JsonValue* stiff = document.find("stiff"))
    if (is_kind(*stiff, Kind::boolean, "'stiff'", diagnostics_)) entry.stiff = stiff->truth;
  if (const JsonValue* section = document.find("reference")) reference(*section, entry);
  const JsonValue* scale = document.find("atol_scale");
  if (!scale || !is_kind(*scale, Kind::object, "'atol_scale'", diagnostics_)) return;
  for (const JsonValue::Member& member : scale->members)
    if (is_kind(member.value, Kind::number, "a factor", diagnostics_))
      entry.atol_scale[member.name] = member.value.number;
}

}  // namespace daedalus::model
