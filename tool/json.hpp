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
using json::parse_json;
using json::text_or_null;

Json document();  // {"version": 1}

// Doubles are printed with the digits that give the same bits when read again (17 at most).
void print(std::ostream& out, const Json& json);

}  // namespace daedalus::cli
