// SPDX-License-Identifier: BSD-3-Clause
#include "io/json.hpp"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "io/excerpt.hpp"
#include "io/trajectory_formats.hpp"

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

namespace {

// Writing and comparing a document goes down with it, on the stack.
constexpr int max_depth = 100;

// Where in the text a list or object is opened too deep; npos: nowhere.
std::size_t too_deep(const std::string& text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      if (++depth > max_depth) return i;
    } else if (!quoted && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return std::string::npos;
}

}  // namespace

Mistake mistake_of(std::string_view text, std::size_t count, const nlohmann::json::exception& e) {
  constexpr int number_overflow = 406;  // nlohmann's number of that error
  return e.id == number_overflow ? number_before(text, count) : mistake_at(text, count);
}

std::string marked(std::string_view text, const Mistake& mistake) {
  files::TextPlace place = files::place_in(text, mistake.byte);
  const std::size_t length = files::character_count(text.substr(mistake.byte, mistake.length));
  const std::string shown = harmless(place.text);
  place.text = shown;
  std::string result = fmt::format("line {}, column {}: {}\n{}", place.line, place.column,
                                   mistake.text, files::excerpt(place, static_cast<int>(length)));
  result.pop_back();
  return result;
}

Json parse_json(const std::string& text, const std::string& file) {
  const auto refuse = [&](const Mistake& mistake) {
    throw FileError("'" + file + "' is no JSON, or was cut off: " + marked(text, mistake));
  };
  if (const std::size_t at = too_deep(text); at != std::string::npos)
    refuse({at, 1, fmt::format("it is nested more than {} deep", max_depth)});
  std::size_t count = 0;
  try {
    return Json::parse(CountingIterator(text.data(), &count),
                       CountingIterator(text.data() + text.size(), &count));
  } catch (const Json::parse_error& error) {
    refuse(mistake_of(text, error.byte, error));
  } catch (const Json::out_of_range& error) {  // it does not tell the place
    refuse(mistake_of(text, count, error));
  }
  return {};
}

}  // namespace daedalus::json
