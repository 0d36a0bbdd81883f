// SPDX-License-Identifier: BSD-3-Clause
// The text before the mistake is good, so that a walk over its tokens tells what may follow.
#include "io/json_mistake.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/excerpt.hpp"

namespace daedalus::json {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view delimiters = " \t\r\n,:[]{}\"";
constexpr std::size_t max_quoted = 20;  // bytes of a word in a message; enough to know it by

enum class Expected { value, value_or_end, name, name_or_end, colon, comma, nothing };

// The next token, and what the grammar has in its place.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) end_ = 3;  // a byte-order mark
    next();
  }

  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  Expected expected() const { return expected_; }
  // Where the innermost list or object that is open begins; npos: none is.
  std::size_t open() const { return open_.empty() ? std::string_view::npos : open_.back(); }
  char first() const { return begin_ < text_.size() ? text_[begin_] : '\0'; }
  std::string_view token() const { return text_.substr(begin_, end_ - begin_); }

  // Tokens that JSON does not have end the walk: a parser may have read further.
  bool fits() const { return is_mark() || nlohmann::json::accept(token()); }
  bool is_mark() const {
    return begin_ < text_.size() && text_[begin_] != '"' &&
           delimiters.find(text_[begin_]) != std::string_view::npos;
  }

  // Takes the token for what is expected.
  void pass() {
    switch (first()) {
      case '[':
      case '{':
        open_.push_back(begin_);
        expected_ = first() == '[' ? Expected::value_or_end : Expected::name_or_end;
        break;
      case ']':
      case '}':
        if (!open_.empty()) open_.pop_back();
        expected_ = after_value();
        break;
      case ',':
        expected_ = in_object() ? Expected::name : Expected::value;
        break;
      case ':':
        expected_ = Expected::value;
        break;
      default:
        expected_ = expected_ == Expected::name || expected_ == Expected::name_or_end
                        ? Expected::colon
                        : after_value();
    }
    next();
  }

 private:
  bool in_object() const { return !open_.empty() && text_[open_.back()] == '{'; }
  Expected after_value() const { return open_.empty() ? Expected::nothing : Expected::comma; }

  void next() {
    begin_ = std::min(text_.find_first_not_of(blanks, end_), text_.size());
    end_ = begin_;
    if (begin_ == text_.size()) return;
    if (text_[begin_] == '"') {
      for (++end_; end_ < text_.size() && text_[end_] != '"'; ++end_)
        if (text_[end_] == '\\') ++end_;
      end_ = std::min(end_ + 1, text_.size());
    } else if (is_mark()) {
      ++end_;
    } else {
      end_ = std::min(text_.find_first_of(delimiters, begin_), text_.size());
    }
  }

  std::string_view text_;
  std::size_t begin_ = 0, end_ = 0;
  std::vector<std::size_t> open_;
  Expected expected_ = Expected::value;
};

std::string quoted(std::string_view word) {
  return word.size() <= max_quoted ? fmt::format("'{}'", harmless(word))
                                   : fmt::format("'{}...'", harmless(word.substr(0, max_quoted)));
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string in_words(Expected e, bool in_list) {
  switch (e) {
    case Expected::value_or_end:
    case Expected::value:
      return "a value: a number, a text in double quotes, true, false, null, [...] or {...}";
    case Expected::name_or_end:
    case Expected::name:
      return "a name in double quotes";
    case Expected::colon:
      return "a colon behind the name";
    case Expected::comma:
      return in_list ? "a comma or the end of the list, ']'"
                     : "a comma or the end of the object, '}'";
    default:
      return "the end of the file";
  }
}

bool wants_value(Expected e) { return e == Expected::value || e == Expected::value_or_end; }
bool wants_name(Expected e) { return e == Expected::name || e == Expected::name_or_end; }

// The last byte of a text in quotes that the parser saw, `at`, is wrong.
Mistake mistake_in_string(std::string_view text, std::size_t begin, std::size_t at) {
  if (at >= text.size()) return {begin, 1, "the closing double quote of this text is missing"};
  // The escape that `at` lies in, if any: a backslash that no other one escapes.
  for (std::size_t i = begin + 1; i < at; ++i) {
    if (text[i] != '\\') continue;
    const bool code = text[i + 1] == 'u';
    if (at <= i + 1)
      return {
          i, 2,
          fmt::format("{} is no escape of JSON; there are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and "
                      "\\u with four digits",
                      quoted(text.substr(i, 2)))};
    if (code && at <= i + 5) return {i, at - i + 1, "\\u needs four hexadecimal digits"};
    // One half of a character announces the other, which may be wrong anywhere.
    if (code && at <= i + 11 && is_one_of(text.substr(i + 2, 1), {"d", "D"}))
      return {i, 6,
              quoted(text.substr(i, 6)) + " is half of a character: the other half is missing"};
    ++i;
  }
  const auto byte = static_cast<unsigned char>(text[at]);
  if (text[at] == '\n' || text[at] == '\r')
    return {begin, 1,
            "the closing double quote is missing on this line (an end of line in a text is written "
            "\\n)"};
  if (byte < 0x20)
    return {at, 1, fmt::format("a control character in a text has to be written \\u{:04x}", byte)};
  return {at, 1, "these bytes are no UTF-8"};
}

std::string about_word(std::string_view word, Expected expected) {
  const char c = word.front();
  if (c == '#' || word.starts_with("//") || word.starts_with("/*")) return "JSON has no comments";
  if (c == '\'') return "texts and names stand between double quotes, not single ones";
  if (!wants_value(expected)) return {};
  if (is_one_of(word, {"True", "TRUE", "False", "FALSE", "None", "NULL", "Null", "nil"}))
    return quoted(word) + ": write true, false or null";
  if (is_one_of(word,
                {"NaN", "nan", "inf", "Inf", "Infinity", "-inf", "-Inf", "-Infinity", "-nan"}))
    return "JSON has no " + quoted(word) + "; null stands for what is no finite number";
  if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.')
    return quoted(word) +
           " is no number of JSON: no '+' and no 0 in front, digits on both sides "
           "of the point";
  return {};
}

// The text ends where more is needed.
Mistake mistake_at_end(std::string_view text, const Walk& walk) {
  if (text.find_first_not_of(blanks) == std::string_view::npos)
    return {0, 1, "there is nothing in it"};
  const std::size_t last = text.find_last_not_of(blanks);
  std::string what = "the text ends here";
  if (walk.open() != std::string_view::npos)
    what += fmt::format(", and the '{}' of line {}, column {} is not closed", text[walk.open()],
                        files::place_in(text, walk.open()).line,
                        files::place_in(text, walk.open()).column);
  return {last + 1, 1, what};
}

Mistake mistake_in_mark(std::string_view text, const Walk& walk) {
  const char c = walk.first();
  const Expected e = walk.expected();
  const bool closes = c == ']' || c == '}';
  if (closes && (e == Expected::value || e == Expected::name) &&
      walk.open() != std::string_view::npos &&
      text[text.find_last_not_of(blanks, walk.begin() - 1)] == ',')
    return {text.find_last_not_of(blanks, walk.begin() - 1), 1,
            fmt::format("a comma before the closing '{}'", c)};
  if (closes && e == Expected::comma)
    return {walk.begin(), 1,
            fmt::format("'{}' cannot close the '{}' of line {}, column {}", c, text[walk.open()],
                        files::place_in(text, walk.open()).line,
                        files::place_in(text, walk.open()).column)};
  return {walk.begin(), 1, ""};
}

}  // namespace

std::string harmless(std::string_view text) {
  using nlohmann::json;
  const json whole = json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
  std::string result = whole.get<std::string>();
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') c = '?';
  return result;
}

Mistake mistake_at(std::string_view text, std::size_t count) {
  const std::size_t at = count == 0 ? 0 : count - 1;  // the byte that was refused
  Walk walk(text);
  while (walk.end() <= at && walk.begin() < text.size() && walk.fits()) walk.pass();
  if (walk.begin() >= text.size()) return mistake_at_end(text, walk);
  const Expected e = walk.expected();
  const bool is_string = walk.first() == '"';
  if (is_string && (wants_value(e) || wants_name(e)))
    return mistake_in_string(text, walk.begin(), at);
  Mistake found{walk.begin(), walk.token().size(), ""};
  if (walk.is_mark())
    found = mistake_in_mark(text, walk);
  else if (!is_string)
    found.text = about_word(walk.token(), e);
  if (!found.text.empty()) return found;
  const bool in_list = walk.open() != std::string_view::npos && text[walk.open()] == '[';
  found.text = fmt::format("{} where JSON has {}", is_string ? "a text" : quoted(walk.token()),
                           in_words(e, in_list));
  return found;
}

Mistake number_before(std::string_view text, std::size_t end) {
  Walk walk(text);
  while (walk.end() + 1 < end && walk.begin() < text.size()) walk.pass();
  return {walk.begin(), walk.token().size(),
          quoted(walk.token()) + " is out of the range of numbers"};
}

}  // namespace daedalus::json
