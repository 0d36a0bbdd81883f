// SPDX-License-Identifier: BSD-3-Clause
// Words, numbers, strings and signs of Modelica text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "modelica/place.hpp"

namespace daedalus::modelica {

enum class TokenKind : std::uint8_t { name, keyword, integer, real, string, sign, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  // of the source; of quoted names with their quotes
  std::uint32_t begin = 0;
  double value = 0.0;
};

// The last token is `end`. What is no token is reported and left out.
std::vector<Token> tokenise(std::string_view content, int file, Mistakes& mistakes);

// A string without quotes and escapes.
std::string unquoted(std::string_view literal);

bool is_keyword(std::string_view word);

}  // namespace daedalus::modelica
