// SPDX-License-Identifier: BSD-3-Clause
// A JSON document in which every value knows where it stands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/text/diagnostics.hpp"

namespace daedalus::model {

class JsonValue {
 public:
  enum class Kind { null, boolean, number, string, array, object };
  struct Member;

  Kind kind = Kind::null;
  Span span{};  // of its first token
  double number = 0.0;
  bool truth = false;
  std::string string;
  std::vector<Fragment::Shift> shifts;  // escapes in `string`
  std::vector<JsonValue> items;         // of an array
  std::vector<Member> members;          // of an object, in the order of the file

  bool is(Kind k) const { return kind == k; }
  // The string as text to parse.
  Fragment fragment() const { return {string, span.begin + 1, shifts}; }
  const JsonValue* find(std::string_view key) const;
};

struct JsonValue::Member {
  std::string name;
  Span span;
  JsonValue value;
};

std::string_view name_of(JsonValue::Kind kind);  // "a number", "a list", ...

// Nothing, and an error with its place, if the text is not JSON.
std::optional<JsonValue> read_json(Diagnostics& diagnostics);

}  // namespace daedalus::model
