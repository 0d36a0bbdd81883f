// SPDX-License-Identifier: BSD-3-Clause
// A formula as it was written: nodes in one array, operands before what uses them, so that passes
// over it are loops. Nothing is looked up yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/text/lexer.hpp"

namespace daedalus::model {

enum class SyntaxKind : std::uint8_t {
  number,
  string,
  name,      // parts with subscripts: tank[i + 1].level
  call,      // function of a list of operands
  negate,    // a
  invert,    // not a
  binary,    // a op b
  choice,    // if a then b else c
  equation,  // a = b
};

struct Syntax {
  SyntaxKind kind = SyntaxKind::number;
  TokenKind op = TokenKind::end;  // of binary
  Span span{};                    // in the fragment
  double value = 0.0;
  int a = -1, b = -1, c = -1;
  int first = 0, count = 0;    // parts of a name, also that of a call; string: its number
  int list = 0, operands = 0;  // of a call
};

struct NamePart {
  std::string text;
  Span span{};
  int list = 0, count = 0;  // subscripts
};

struct Formula {
  std::vector<Syntax> nodes;
  std::vector<NamePart> parts;
  std::vector<std::string> strings;  // number `first` of a string node
  std::vector<int> lists;
  int root() const { return static_cast<int>(nodes.size()) - 1; }
  const Syntax& at(int node) const { return nodes[static_cast<std::size_t>(node)]; }
  int operand(const Syntax& call, int k) const {
    return lists[static_cast<std::size_t>(call.list + k)];
  }
  // "pump.flow" of a name or call without its subscripts.
  std::string plain_name(const Syntax& name) const;
};

enum class Want { expression, equation, either };

// What is wrong is reported and gives nothing. Deeply nested text is refused, not recursed into.
std::optional<Formula> parse(const Fragment& fragment, Want want, Diagnostics& diagnostics);

}  // namespace daedalus::model
