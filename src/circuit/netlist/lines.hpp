// SPDX-License-Identifier: BSD-3-Clause
// Lines of a netlist: comments gone, continuations joined, words told apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "circuit/netlist/files.hpp"

namespace daedalus::circuit {

// A statement: one or more lines of the file that belong together.
struct Statement {
  int file = 0;
  Fragment fragment;
  Where where(Span own) const { return {file, fragment.in_source(own)}; }
  Where whole() const { return {file, fragment.whole()}; }
};

// The title is the first line; `.end` and what follows it are not among the statements.
struct Lines {
  std::string title;
  Span title_span{};
  std::vector<Statement> statements;
};
// Of an included file the first line is no title.
Lines read_lines(Files& files, int file, bool has_title);

enum class WordKind {
  word,
  expression,  // {...} or '...'; the span is what is inside
  open,        // (
  close,       // )
  equals,      // =
};
struct Word {
  WordKind kind = WordKind::word;
  Span span{};  // in the fragment
};

// Blanks and commas separate. An expression that is not closed is reported.
std::vector<Word> split(Files& files, const Statement& statement);

std::string lower_case(std::string_view text);

// 4.7k, 10meg, 3kohm. What is none is nothing; `problem` says why where it begins like one.
struct NumberText {
  std::optional<double> value;
  std::string problem, hint;
  bool capital_milli = false;  // 2M: two thousandths
  bool plain_femto = false;    // 1F, in capitals: not one farad
};
NumberText read_number(std::string_view text);

}  // namespace daedalus::circuit
