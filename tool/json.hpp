// SPDX-License-Identifier: BSD-3-Clause
// JSON documents of the tool: keys keep their order, every document carries its version, and what
// is not a finite number is null.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace daedalus::cli {

using Json = nlohmann::ordered_json;

Json document();            // {"version": 1}
Json number(double value);  // null when not finite
Json numbers(const std::vector<double>& values);
// {name: value, ...} of distinct names; adding members one by one would compare each with all
// before.
Json members(const std::vector<std::string>& names, std::vector<Json> values);
Json text_or_null(const std::string& text);  // null when empty

// The document in a text; FileError that names the file and the place where it is no JSON, is cut
// off, holds a number that no double can, or is nested deeper than any file of ours.
Json parse_json(const std::string& text, const std::string& file);

// Doubles are printed with the digits that give the same bits when read again (17 at most).
void print(std::ostream& out, const Json& json);
std::string line(const Json& json);  // on one line, without end of line

}  // namespace daedalus::cli
