// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/lexer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace daedalus::model {
namespace {

struct Sign {
  std::string_view text;
  TokenKind kind;
};

// Longer ones first.
constexpr std::array<Sign, 32> signs{{{"**", TokenKind::power},
                                      {"<=", TokenKind::less_equal},
                                      {">=", TokenKind::greater_equal},
                                      {"==", TokenKind::equal},
                                      {"<>", TokenKind::not_equal},
                                      {"!=", TokenKind::not_equal},
                                      {"&&", TokenKind::logical_and},
                                      {"||", TokenKind::logical_or},
                                      {"+", TokenKind::plus},
                                      {"-", TokenKind::minus},
                                      {"*", TokenKind::times},
                                      {"/", TokenKind::divide},
                                      {"^", TokenKind::power},
                                      {"<", TokenKind::less},
                                      {">", TokenKind::greater},
                                      {"=", TokenKind::equation},
                                      {"!", TokenKind::logical_not},
                                      {"?", TokenKind::question},
                                      {":", TokenKind::colon},
                                      {",", TokenKind::comma},
                                      {".", TokenKind::point},
                                      {";", TokenKind::semicolon},
                                      {"(", TokenKind::open_parenthesis},
                                      {")", TokenKind::close_parenthesis},
                                      {"[", TokenKind::open_bracket},
                                      {"]", TokenKind::close_bracket},
                                      {"{", TokenKind::open_brace},
                                      {"}", TokenKind::close_brace},
                                      // What editors make of plain signs.
                                      {"\xE2\x88\x92", TokenKind::minus},
                                      {"\xC2\xB7", TokenKind::times},
                                      {"\xC3\x97", TokenKind::times},
                                      {"\xE2\x88\x97", TokenKind::times}}};

constexpr std::array<Sign, 9> words{{{"and", TokenKind::logical_and},
                                     {"or", TokenKind::logical_or},
                                     {"not", TokenKind::logical_not},
                                     {"if", TokenKind::word_if},
                                     {"then", TokenKind::word_then},
                                     {"elseif", TokenKind::word_elseif},
                                     {"else", TokenKind::word_else},
                                     {"true", TokenKind::word_true},
                                     {"false", TokenKind::word_false}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// All of UTF-8 beyond ASCII counts as letters: Greek names are names.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
 public:
  Lexer(const Fragment& fragment, Diagnostics& diagnostics, std::vector<Token>& tokens)
      : fragment_(fragment), text_(fragment.text()), diagnostics_(diagnostics), tokens_(tokens) {}

  bool run() {
    while (skip_blanks(), at_ < text_.size() && !diagnostics_.full()) {
      const char c = text_[at_];
      if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])))
        number();
      else if (c == '\'' && behind_a_name())
        prime();
      else if (c == '"' || c == '\'')
        quoted(c);
      else if (const auto kind = sign())
        tokens_.push_back({*kind, false, {start_, at_ - start_}, 0.0});
      else if (is_letter(c))
        word();
      else
        stray();
    }
    tokens_.push_back({TokenKind::end, false, {text_.size(), 0}, 0.0});
    return good_;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
    start_ = at_;
  }

  void wrong(Span where, std::string message, std::string hint = {}) {
    good_ = false;
    diagnostics_.error(fragment_.in_source(where), std::move(message), std::move(hint));
  }

  void digits() {
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  }

  void number() {
    digits();
    if (at_ < text_.size() && text_[at_] == '.') ++at_, digits();
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      const std::size_t before = at_++;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (at_ < text_.size() && is_digit(text_[at_]))
        digits();
      else
        at_ = before;
    }
    double value = 0.0;
    const auto read = std::from_chars(text_.data() + start_, text_.data() + at_, value);
    const Span span{start_, at_ - start_};
    const std::string digits_read = text_.substr(start_, at_ - start_);
    if (read.ec == std::errc::result_out_of_range && !tiny(digits_read))
      wrong(span, "the number '" + digits_read + "' is too large");
    if (at_ < text_.size() && is_letter(text_[at_])) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      const std::string letters = text_.substr(start_ + span.length, at_ - start_ - span.length);
      wrong({start_, at_ - start_}, "a number is followed by letters",
            "write " + digits_read + "*" + letters);
    }
    tokens_.push_back({TokenKind::number, false, {start_, at_ - start_}, value});
  }

  // Out of range because it is too near zero: that is zero.
  static bool tiny(const std::string& digits_read) {
    return std::fabs(std::strtod(digits_read.c_str(), nullptr)) < 1.0;
  }

  bool behind_a_name() const {
    return !tokens_.empty() && tokens_.back().kind == TokenKind::name && !tokens_.back().quoted &&
           tokens_.back().span.begin + tokens_.back().span.length == at_;
  }

  // x' as on paper. Read as the start of a quoted name it would swallow the rest of the formula.
  void prime() {
    while (at_ < text_.size() && text_[at_] == '\'') ++at_;
    const Span name = tokens_.back().span;
    wrong({name.begin, at_ - name.begin}, "a derivative is not written with a prime",
          "write der(" + text_.substr(name.begin, name.length) + ")");
  }

  void quoted(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_)
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    if (at_ >= text_.size()) {
      wrong({start_, text_.size() - start_},
            quote == '"' ? "a string is not closed" : "a quoted name is not closed");
      return;
    }
    ++at_;
    if (quote == '\'' && at_ - start_ == 2) {
      wrong({start_, 2}, "a quoted name is empty");
      return;
    }
    tokens_.push_back(
        {quote == '"' ? TokenKind::string : TokenKind::name, true, {start_, at_ - start_}, 0.0});
  }

  std::optional<TokenKind> sign() {
    for (const Sign& s : signs)
      if (text_.compare(at_, s.text.size(), s.text) == 0) {
        at_ += s.text.size();
        return s.kind;
      }
    return std::nullopt;
  }

  // A sign of several bytes that editors write for a plain one ends a name.
  bool at_foreign_sign() const {
    if (static_cast<unsigned char>(text_[at_]) < 0x80) return false;
    for (const Sign& s : signs)
      if (s.text.size() > 1 && text_.compare(at_, s.text.size(), s.text) == 0) return true;
    return false;
  }

  void word() {
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_])) &&
           !at_foreign_sign())
      ++at_;
    const auto letters = std::string_view(text_).substr(start_, at_ - start_);
    TokenKind kind = TokenKind::name;
    for (const Sign& w : words)
      if (w.text == letters) kind = w.kind;
    tokens_.push_back({kind, false, {start_, at_ - start_}, 0.0});
  }

  void stray() {
    const char c = text_[at_++];
    if (c == '&' || c == '|')
      wrong({start_, 1}, std::string("'") + c + "' means nothing here",
            c == '&' ? "write 'and'" : "write 'or'");
    else if (static_cast<unsigned char>(c) < 0x20)
      wrong({start_, 1}, "there is a control character in the formula");
    else
      wrong({start_, 1}, std::string("'") + c + "' means nothing here");
  }

  const Fragment& fragment_;
  const std::string& text_;
  Diagnostics& diagnostics_;
  std::vector<Token>& tokens_;
  std::size_t at_ = 0, start_ = 0;
  bool good_ = true;
};

}  // namespace

bool tokenise(const Fragment& fragment, Diagnostics& diagnostics, std::vector<Token>& tokens) {
  tokens.clear();
  return Lexer(fragment, diagnostics, tokens).run();
}

std::string unquoted(const std::string& text, const Token& token) {
  if (!token.quoted) return text.substr(token.span.begin, token.span.length);
  std::string out;
  const std::size_t end = token.span.begin + token.span.length - 1;
  for (std::size_t i = token.span.begin + 1; i < end; ++i) {
    if (text[i] == '\\' && i + 1 < end) ++i;
    out += text[i];
  }
  return out;
}

bool is_plain_name(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  for (const char c : text)
    if (!is_letter(c) && !is_digit(c)) return false;
  for (const Sign& w : words)
    if (w.text == text) return false;
  return true;
}

}  // namespace daedalus::model
