// SPDX-License-Identifier: BSD-3-Clause
#include "model/json/fields.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace daedalus::model {

bool is_kind(const JsonValue& value, JsonValue::Kind kind, std::string_view what,
             Diagnostics& diagnostics) {
  if (value.is(kind)) return true;
  diagnostics.error(value.span,
                    fmt::format("{} must be {}, not {}", what, name_of(kind), name_of(value.kind)));
  return false;
}

namespace {

// The nearest known name, or all of them where none is near.
std::string hint_among(const std::string& name, const std::vector<std::string>& known) {
  std::string hint = name_hint(name, known);
  return hint.empty() ? fmt::format("known are {}", fmt::join(known, ", ")) : hint;
}

}  // namespace

Fields::Fields(const JsonValue& object, std::string_view what,
               std::initializer_list<std::string_view> known, Diagnostics& diagnostics)
    : object_(&object), what_(what), diagnostics_(diagnostics) {
  if (!is_kind(object, Kind::object, what, diagnostics)) return;
  const std::vector<std::string> names(known.begin(), known.end());
  for (const JsonValue::Member& member : object.members)
    if (std::find(known.begin(), known.end(), member.name) == known.end())
      diagnostics.error(member.span, fmt::format("{} has no '{}'", what, member.name),
                        hint_among(member.name, names));
}

const JsonValue* Fields::of(std::string_view key, Kind kind) const {
  const JsonValue* value = find(key);
  return value && is_kind(*value, kind, fmt::format("'{}'", key), diagnostics_) ? value : nullptr;
}

const JsonValue* Fields::need(std::string_view key, Kind kind) const {
  if (!find(key)) {
    diagnostics_.error(object_->span, fmt::format("{} needs '{}'", what_, key));
    return nullptr;
  }
  return of(key, kind);
}

std::string Fields::text(std::string_view key, std::string standard) const {
  const JsonValue* value = of(key, Kind::string);
  return value ? value->string : standard;
}

double Fields::number(std::string_view key, double standard) const {
  const JsonValue* value = of(key, Kind::number);
  return value ? value->number : standard;
}

bool Fields::truth(std::string_view key, bool standard) const {
  const JsonValue* value = of(key, Kind::boolean);
  return value ? value->truth : standard;
}

}  // namespace daedalus::model
