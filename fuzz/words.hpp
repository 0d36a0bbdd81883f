// SPDX-License-Identifier: BSD-3-Clause
// Mutations of texts in a language: words, numbers and lines instead of bytes, so that more of what
// comes out passes the lexer and reaches the code behind it.
#pragma once

#include <cctype>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus::fuzz {

// Words with their digits and points, or single characters.
inline std::vector<std::string> words_of(const std::string& text) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (in_word(text[at]))
      while (end < text.size() && in_word(text[end])) ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

inline const std::string& odd_word(std::mt19937& random) {
  static const std::string list[] = {
      "0",          "-1",       "1e400",  "1e-400",   "9223372036854775808",
      "4294967296", "1e15",     "nan",    "inf",      "\"",
      "'",          "\\u0000",  "\xff",   "\xc3\xa9", "{}",
      "[]",         "null",     "",       "\n",       ";",
      "((((((((",   "))))))))", "[[[[[[", "../../x",  "/dev/zero",
      "der",        "if",       "end",    "for",      "*"};
  return list[random() % std::size(list)];
}

// One to four changes: a word becomes another of the text or an odd one, comes twice, goes,
// or a piece of the text is put elsewhere.
inline void mutate_words(std::string& text, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> words = words_of(text);
  for (unsigned k = 1 + random() % 4; k-- > 0 && !words.empty();) {
    const auto any = [&] { return static_cast<std::ptrdiff_t>(random() % words.size()); };
    const std::ptrdiff_t at = any(), from = any();
    const std::ptrdiff_t length = std::min<std::ptrdiff_t>(
        static_cast<std::ptrdiff_t>(1 + random() % 30), std::ssize(words) - from);
    const std::vector<std::string> piece(words.begin() + from, words.begin() + from + length);
    switch (random() % 6) {
      case 0:
        words[static_cast<std::size_t>(at)] = piece.front();
        break;
      case 1:
        words[static_cast<std::size_t>(at)] = odd_word(random);
        break;
      case 2:
        words.insert(words.begin() + at, odd_word(random));
        break;
      case 3:
        words.insert(words.begin() + at, piece.begin(), piece.end());
        break;
      case 4:
        words.erase(words.begin() + from, words.begin() + from + length);
        break;
      default:
        std::swap(words[static_cast<std::size_t>(at)], words[static_cast<std::size_t>(from)]);
    }
  }
  text.clear();
  for (const std::string& word : words) text += word;
}

}  // namespace daedalus::fuzz
