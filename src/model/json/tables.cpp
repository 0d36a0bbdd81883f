// SPDX-License-Identifier: BSD-3-Clause
// Tables for look-up: {"x": [...], "y": [...]}, or {"file": "force.csv"} beside the model.
#include <charconv>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "model/json/reader.hpp"
#include "model/text/named_file.hpp"

namespace daedalus::model {
namespace {

namespace fs = std::filesystem;

// Two columns of numbers, separated by commas or blanks; a first line of other text is a heading.
bool read_columns(std::istream& stream, std::vector<double>& x, std::vector<double>& y, int& line) {
  std::string text;
  for (line = 1; std::getline(stream, text); ++line) {
    const char *at = text.data(), *end = text.data() + text.size();
    const auto blanks = [&] {
      while (at != end && (*at == ' ' || *at == '\t' || *at == ',' || *at == '\r')) ++at;
    };
    double pair[2];
    bool good = true;
    blanks();
    if (at == end) continue;
    for (double& value : pair) {
      const auto read = std::from_chars(at, end, value);
      good = good && read.ec == std::errc();
      at = read.ptr;
      blanks();
    }
    if (good && at == end)
      x.push_back(pair[0]), y.push_back(pair[1]);
    else if (line > 1 || !x.empty())
      return false;
  }
  return true;
}

}  // namespace

bool Reader::table_columns(const std::string& name, const JsonValue& from, std::vector<double>& x,
                           std::vector<double>& y) {
  if (const JsonValue* file = from.find("file")) {
    if (!is_kind(*file, Kind::string, "'file'", diagnostics_)) return false;
    const fs::path path = fs::path(folder_) / file->string;
    if (!options_.allow_files && !lies_in(path, folder_)) {
      diagnostics_.error(file->span,
                         fmt::format("'{}' lies outside the folder of the model", file->string),
                         allow_hint);
      return false;
    }
    int line = 0;
    if (const auto content = named_content(path)) {
      std::istringstream stream(*content);
      if (read_columns(stream, x, y, line)) return true;
    }
    diagnostics_.error(file->span, line == 0 ? fmt::format("'{}' cannot be read", file->string)
                                             : fmt::format("line {} of '{}' has no two numbers",
                                                           line, file->string));
    return false;
  }
  for (const auto& [key, list] : {std::pair{"x", &x}, std::pair{"y", &y}}) {
    const JsonValue* values = from.find(key);
    if (!values) {
      diagnostics_.error(from.span, fmt::format("table '{}' needs '{}', or 'file'", name, key));
      return false;
    }
    if (!is_kind(*values, Kind::array, fmt::format("'{}'", key), diagnostics_)) return false;
    for (const JsonValue& value : values->items) {
      if (!is_kind(value, Kind::number, "an entry of a table", diagnostics_)) return false;
      list->push_back(value.number);
    }
  }
  return true;
}

void Reader::table(const JsonValue::Member& member) {
  using graph::Table;
  const Fields fields(member.value, "a table", {"x", "y", "file", "interpolation", "beyond"},
                      diagnostics_);
  if (!member.value.is(Kind::object)) return;
  const std::string kind = fields.text("interpolation", "linear");
  const std::string beyond = fields.text("beyond", "extrapolate");
  if (kind != "linear" && kind != "akima" && kind != "hold")
    diagnostics_.error(fields.find("interpolation")->span,
                       fmt::format("there is no interpolation '{}'", kind),
                       name_hint(kind, {"linear", "akima", "hold"}));
  if (beyond != "hold" && beyond != "extrapolate")
    diagnostics_.error(fields.find("beyond")->span, fmt::format("'beyond' cannot be '{}'", beyond),
                       name_hint(beyond, {"hold", "extrapolate"}));
  std::vector<double> x, y;
  if (!table_columns(member.name, member.value, x, y)) return;
  guarded(member.span, [&] {
    scope_->add_table(std::make_shared<const Table>(
        member.name, std::move(x), std::move(y),
        kind == "akima"  ? Table::Interpolation::akima
        : kind == "hold" ? Table::Interpolation::hold
                         : Table::Interpolation::linear,
        beyond == "hold" ? Table::Beyond::hold : Table::Beyond::extrapolate));
  });
}

void Reader::tables(const JsonValue& section) {
  if (!is_kind(section, Kind::object, "'tables'", diagnostics_)) return;
  for (const JsonValue::Member& member : section.members) {
    if (!new_name(member)) continue;
    if (function_arity(member.name) > 0) {
      diagnostics_.error(member.span, fmt::format("'{}' is a function", member.name),
                         "choose another name for the table");
      continue;
    }
    table(member);
  }
}

}  // namespace daedalus::model
