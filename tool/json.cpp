// SPDX-License-Identifier: BSD-3-Clause
#include "tool/json.hpp"

#include <cmath>
#include <ostream>

namespace daedalus::cli {

Json document() { return Json{{"version", 1}}; }

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

void print(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

std::string line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace daedalus::cli
