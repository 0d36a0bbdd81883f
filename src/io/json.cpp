// SPDX-License-Identifier: BSD-3-Clause
#include "io/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

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

std::string place(const std::string& text, std::size_t at) {
  const auto begin = text.begin(), here = begin + static_cast<std::ptrdiff_t>(at);
  const std::size_t line_start = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return fmt::format("line {}, column {}", 1 + std::count(begin, here, '\n'),
                     at - (line_start == std::string::npos ? 0 : line_start + 1) + 1);
}

}  // namespace

Json parse_json(const std::string& text, const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    throw FileError("'" + file + "' is no JSON, or was cut off: " + files::printable(why));
  };
  if (const std::size_t at = too_deep(text); at != std::string::npos)
    refuse(fmt::format("{}: it is nested more than {} deep", place(text, at), max_depth));
  try {
    return Json::parse(text);
  } catch (const Json::out_of_range& error) {  // it does not tell the place
    const std::string what = error.what();
    const std::size_t from = what.find('\''), to = what.rfind('\'');
    const std::string number =
        from < to ? what.substr(from + 1, to - from - 1) : std::string("a number");
    const std::size_t at = text.find(number);
    refuse(fmt::format("{}: {} is out of the range of numbers",
                       place(text, at == std::string::npos ? 0 : at), number));
  } catch (const Json::exception& error) {
    // What the library says begins with a number of its own in brackets.
    const std::string what = error.what();
    const std::size_t end = what.find("] ");
    refuse(end == std::string::npos ? what : what.substr(end + 2));
  }
  return {};
}

}  // namespace daedalus::json
