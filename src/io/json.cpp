// SPDX-License-Identifier: BSD-3-Clause
#include "io/json.hpp"

#include <cmath>

namespace daedalus::json {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

Json members(const std::vector<std::string>& names, std::vector<Json> values) {
  Json object = Json::object();
  auto& list = object.get_ref<Json::object_t&>();
  list.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) list.emplace_back(names[i], std::move(values[i]));
  return object;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing
// object key - unexpected end of input; expected string literal"
std::string complaint(std::string_view what) {
  const auto skip_behind = [&what](std::string_view mark) {
    const std::size_t at = what.find(mark);
    if (at == std::string_view::npos) return false;
    what.remove_prefix(at + mark.size());
    return true;
  };
  skip_behind("] ");
  if (skip_behind("number overflow parsing "))
    return std::string(what) + " is out of the range of numbers";
  if (skip_behind("column ")) skip_behind(": ");
  if (skip_behind("syntax error while parsing ")) skip_behind(" - ");
  return std::string(what.substr(0, what.find("; last read")));
}

}  // namespace daedalus::json
