// SPDX-License-Identifier: BSD-3-Clause
// Words, numbers and signs of formulas in ordinary notation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/text/diagnostics.hpp"

namespace daedalus::model {

enum class TokenKind : std::uint8_t {
  number,
  name,    // also quoted: 'any text'
  string,  // "any text"
  plus,
  minus,
  times,
  divide,
  power,  // ^ or **
  less,
  less_equal,
  greater,
  greater_equal,
  equal,      // ==
  not_equal,  // <> or !=
  logical_and,
  logical_or,
  logical_not,
  equation,  // =
  question,
  colon,
  comma,
  point,
  semicolon,
  open_parenthesis,
  close_parenthesis,
  open_bracket,
  close_bracket,
  open_brace,
  close_brace,
  word_if,
  word_then,
  word_elseif,
  word_else,
  word_true,
  word_false,
  end
};

struct Token {
  TokenKind kind = TokenKind::end;
  bool quoted = false;
  Span span{};  // in the fragment
  double value = 0.0;
};

// The last token is `end`. Text that is no token is reported and left out; false then.
bool tokenise(const Fragment& fragment, Diagnostics& diagnostics, std::vector<Token>& tokens);

// What a token stands for: a name without its quotes, a string without quotes and escapes.
std::string unquoted(const std::string& text, const Token& token);

// A name that needs no quotes in a formula: letters, digits and _, not a keyword.
bool is_plain_name(std::string_view text);

}  // namespace daedalus::model
