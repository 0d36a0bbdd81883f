// SPDX-License-Identifier: BSD-3-Clause
// JSON documents of the tool; every one carries its version.
#pragma once

#include <iosfwd>

#include "io/json.hpp"

namespace daedalus::cli {

using json::Json;
using json::line;
using json::members;
using json::number;
using json::numbers;
using json::text_or_null;

Json document();  // {"version": 1}

// The document in a text; FileError that names the file and the place where it is no JSON, is cut
// off, holds a number that no double can, or is nested deeper than any file of ours.
Json parse_json(const std::string& text, const std::string& file);

// Doubles are printed with the digits that give the same bits when read again (17 at most).
void print(std::ostream& out, const Json& json);

}  // namespace daedalus::cli
