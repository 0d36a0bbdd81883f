// SPDX-License-Identifier: BSD-3-Clause
// Members of a JSON object by name and type; what is missing, of another type or unknown is
// reported with its place.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "model/json/document.hpp"

namespace daedalus::model {

class Fields {
 public:
  using Kind = JsonValue::Kind;
  // `what` stands for the object in messages: "a variable". Keys outside of `known` are errors.
  Fields(const JsonValue& object, std::string_view what,
         std::initializer_list<std::string_view> known, Diagnostics& diagnostics);

  const JsonValue* find(std::string_view key) const { return object_->find(key); }
  // Absent: null and, if needed, an error at the object.
  const JsonValue* of(std::string_view key, Kind kind) const;
  const JsonValue* need(std::string_view key, Kind kind) const;
  std::string text(std::string_view key, std::string standard = {}) const;
  double number(std::string_view key, double standard) const;
  bool truth(std::string_view key, bool standard) const;

 private:
  const JsonValue* object_;
  std::string what_;
  Diagnostics& diagnostics_;
};

// Reported and false if the value is of another kind; `what` is "the start value".
bool is_kind(const JsonValue& value, JsonValue::Kind kind, std::string_view what,
             Diagnostics& diagnostics);

}  // namespace daedalus::model
