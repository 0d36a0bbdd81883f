// SPDX-License-Identifier: BSD-3-Clause
// A place in a text for messages: line, column, the line itself and a caret below the place. Long
// lines (a document on one line) are shown around it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace daedalus::files {

// How many characters the UTF-8 text has.
std::size_t character_count(std::string_view text);

struct TextPlace {
  int line = 1, column = 1;  // columns count characters, not bytes
  std::string_view text;     // of the line, without its end
};
TextPlace place_in(std::string_view text, std::size_t byte);

// "   3 | the line" and below it "     |     ^~~" for `length` characters; each ends its line.
std::string excerpt(const TextPlace& place, int length = 1);

}  // namespace daedalus::files
