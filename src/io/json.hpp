// SPDX-License-Identifier: BSD-3-Clause
// JSON documents of the library and of the tool: keys keep their order, what is not a finite number
// is null, and doubles have the digits that give the same bits when read again (17 at most).
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "io/json_mistake.hpp"

namespace daedalus::json {

using Json = nlohmann::ordered_json;

Json number(double value);  // null when not finite
Json numbers(const std::vector<double>& values);
// {name: value, ...} of distinct names; adding members one by one would compare each with all
// before.
Json members(const std::vector<std::string>& names, std::vector<Json> values);
Json text_or_null(const std::string& text);  // null when empty
std::string line(const Json& json);          // on one line, without end of line; not UTF-8: U+FFFD

// The document in a text; FileError that names the file and shows the place where it is no JSON, is
// cut off, holds a number that no double can, or is nested deeper than any file of ours.
Json parse_json(const std::string& text, const std::string& file);

// Of a parser's event: it had read so many bytes.
Mistake mistake_of(std::string_view text, std::size_t count, const nlohmann::json::exception& e);

// "line 2, column 7: what is wrong", then the line and a caret.
std::string marked(std::string_view text, const Mistake& mistake);

// Counts the characters that a parser has read, so that its events have a place.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& b) const { return at_ == b.at_; }
  bool operator!=(const CountingIterator& b) const { return at_ != b.at_; }

 private:
  const char* at_;
  std::size_t* count_;
};

}  // namespace daedalus::json
