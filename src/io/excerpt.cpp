// SPDX-License-Identifier: BSD-3-Clause
#include "io/excerpt.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace daedalus::files {
namespace {

constexpr std::size_t max_shown = 100;  // characters of a line; more do not fit a terminal

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::size_t byte_of(std::string_view text, int character) {
  std::size_t i = 0;
  for (int passed = 0; i < text.size(); ++i)
    if (begins_character(text[i]) && passed++ == character) break;
  return i;
}

struct Shown {
  std::string text;
  int column;
};

// Tabs become blanks, so that the caret stands below its character.
Shown shown_part(const TextPlace& place) {
  std::string line(place.text);
  std::replace(line.begin(), line.end(), '\t', ' ');
  const int count = static_cast<int>(character_count(line));
  if (count <= static_cast<int>(max_shown)) return {line, place.column};
  const int half = static_cast<int>(max_shown) / 2;
  const int first = std::max(0, std::min(place.column - 1 - half, count - 2 * half));
  const std::size_t begin = byte_of(line, first), end = byte_of(line, first + 2 * half);
  const bool cut = first > 0;
  return {(cut ? "..." : "") + line.substr(begin, end - begin) + (end < line.size() ? "..." : ""),
          place.column - first + (cut ? 3 : 0)};
}

}  // namespace

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

TextPlace place_in(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte);
  const std::size_t last = before.rfind('\n');
  const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
  TextPlace place;
  place.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  place.column = 1 + static_cast<int>(character_count(before.substr(begin)));
  place.text = text.substr(begin, text.find('\n', begin) - begin);
  if (place.text.ends_with('\r')) place.text.remove_suffix(1);
  return place;
}

std::string excerpt(const TextPlace& place, int length) {
  const Shown shown = shown_part(place);
  const int room = static_cast<int>(character_count(shown.text)) - shown.column + 1;
  const int tail = std::max(0, std::min(length, room) - 1);
  return fmt::format("{:4} | {}\n     | {}^{}\n", place.line, shown.text,
                     std::string(static_cast<std::size_t>(shown.column - 1), ' '),
                     std::string(static_cast<std::size_t>(tail), '~'));
}

}  // namespace daedalus::files
