// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace daedalus::modelica {
namespace {

// Sorted, for a binary search.
constexpr std::array<std::string_view, 59> keywords{
    "algorithm",   "and",          "annotation", "block",       "break",
    "class",       "connect",      "connector",  "constant",    "constrainedby",
    "der",         "discrete",     "each",       "else",        "elseif",
    "elsewhen",    "encapsulated", "end",        "enumeration", "equation",
    "expandable",  "extends",      "external",   "false",       "final",
    "flow",        "for",          "function",   "if",          "import",
    "impure",      "in",           "initial",    "inner",       "input",
    "loop",        "model",        "not",        "operator",    "or",
    "outer",       "output",       "package",    "parameter",   "partial",
    "protected",   "public",       "pure",       "record",      "redeclare",
    "replaceable", "return",       "stream",     "then",        "true",
    "type",        "when",         "while",      "within"};

// Longest first.
constexpr std::array<std::string_view, 31> signs{
    ".+", ".-", ".*", "./", ".^", ":=", "==", "<>", "<=", ">=", "+", "-", "*", "/", "^", "=",
    "<",  ">",  "(",  ")",  "{",  "}",  "[",  "]",  ",",  ";",  ":", ".", "?", "!", "&"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

class Lexer {
 public:
  Lexer(std::string_view text, int file, Mistakes& mistakes)
      : text_(text), file_(file), mistakes_(mistakes) {}

  std::vector<Token> run() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    tokens_.reserve(text_.size() / 6 + 8);
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) next();
    push(TokenKind::end, text_.size(), text_.size());
    return std::move(tokens_);
  }

 private:
  char here(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Place place(std::size_t from, std::size_t to) const {
    return {file_, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to - from)};
  }
  void push(TokenKind kind, std::size_t from, std::size_t to, double value = 0.0) {
    tokens_.push_back(
        {kind, text_.substr(from, to - from), static_cast<std::uint32_t>(from), value});
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (is_blank(here())) {
        ++at_;
      } else if (here() == '/' && here(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (here() == '/' && here(1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos)
          mistakes_.error({Phase::parse, place(at_, at_ + 2), "a comment is not closed",
                           "write '*/' behind it"});
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  void next() {
    const char c = here();
    if (is_letter(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(here(1)))) return number();
    if (c == '"') return quoted('"', TokenKind::string, "a string is not closed");
    if (c == '\'') return quoted('\'', TokenKind::name, "a quoted name is not closed");
    for (const std::string_view sign : signs)
      if (text_.substr(at_, sign.size()) == sign) {
        push(TokenKind::sign, at_, at_ + sign.size());
        at_ += sign.size();
        return;
      }
    std::size_t end = at_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
    mistakes_.error({Phase::parse, place(at_, end),
                     fmt::format("'{}' has no meaning here", text_.substr(at_, end - at_)),
                     "names consist of letters, digits and _; other text stands in quotes"});
    at_ = end;
  }

  void word() {
    const std::size_t from = at_;
    while (is_letter(here()) || is_digit(here())) ++at_;
    push(is_keyword(text_.substr(from, at_ - from)) ? TokenKind::keyword : TokenKind::name, from,
         at_);
  }

  void digits() {
    while (is_digit(here())) ++at_;
  }

  void number() {
    const std::size_t from = at_;
    bool real = false;
    digits();
    // "1.^x" would be 1 .^ x in other readings; the standard's tokens are the longest ones.
    if (here() == '.' && here(1) != '*' && here(1) != '/' && here(1) != '^' && here(1) != '+' &&
        here(1) != '-') {
      real = true;
      ++at_;
      digits();
    } else if (here() == '.' && (here(1) == '+' || here(1) == '-')) {
      real = false;
    }
    const std::size_t mantissa = at_;
    if (here() == 'e' || here() == 'E') {
      ++at_;
      if (here() == '+' || here() == '-') ++at_;
      if (is_digit(here())) {
        real = true;
        digits();
      } else {
        at_ = mantissa;
      }
    }
    if (is_letter(here())) {
      const std::size_t end = at_;
      while (is_letter(here()) || is_digit(here())) ++at_;
      mistakes_.error(
          {Phase::parse, place(from, at_),
           fmt::format("a number is followed by letters: '{}'", text_.substr(from, at_ - from)),
           fmt::format("write '{}*{}'", text_.substr(from, end - from),
                       text_.substr(end, at_ - end))});
      return;
    }
    const std::string_view digits = text_.substr(from, at_ - from);
    double value = 0.0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    // What is too small is zero.
    if (read.ec == std::errc::result_out_of_range && digits.find("e-") == std::string_view::npos &&
        digits.find("E-") == std::string_view::npos)
      mistakes_.error(
          {Phase::parse, place(from, at_), fmt::format("the number '{}' is too large", digits)});
    push(real ? TokenKind::real : TokenKind::integer, from, at_, value);
  }

  void quoted(char quote, TokenKind kind, std::string_view message) {
    const std::size_t from = at_++;
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) {
      at_ = text_.size();
      const std::size_t line = std::min(text_.find('\n', from), text_.size());
      mistakes_.error({Phase::parse, place(from, std::min(line, from + 40)), std::string(message),
                       fmt::format("it begins here; write {} at its end", quote)});
      push(kind, from, at_);
      return;
    }
    ++at_;
    push(kind, from, at_);
  }

  std::string_view text_;
  int file_;
  Mistakes& mistakes_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

bool is_keyword(std::string_view word) {
  return std::binary_search(keywords.begin(), keywords.end(), word);
}

std::vector<Token> tokenise(std::string_view content, int file, Mistakes& mistakes) {
  return Lexer(content, file, mistakes).run();
}

std::string unquoted(std::string_view literal) {
  std::string text;
  if (!literal.empty()) literal.remove_prefix(1);
  if (!literal.empty() && literal.back() == '"') literal.remove_suffix(1);
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      text += literal[i];
      continue;
    }
    static constexpr std::string_view letters = "abfnrtv", codes = "\a\b\f\n\r\t\v";
    const char c = literal[++i];
    const std::size_t k = letters.find(c);
    text += k == std::string_view::npos ? c : codes[k];
  }
  return text;
}

}  // namespace daedalus::modelica
