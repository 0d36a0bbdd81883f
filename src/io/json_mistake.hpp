// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a text that a parser of JSON refused, in words for whoever wrote it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace daedalus::json {

struct Mistake {
  std::size_t byte, length;  // where what is wrong begins, and how many bytes it has
  std::string text;
};

// Part of a file in a message: bytes that are no UTF-8 are U+FFFD, control characters '?'.
std::string harmless(std::string_view text);

// The parser had read `count` bytes when it refused the last of them, or the end behind them.
Mistake mistake_at(std::string_view text, std::size_t count);
// A number that no double can hold ends before `end`.
Mistake number_before(std::string_view text, std::size_t end);

}  // namespace daedalus::json
