// SPDX-License-Identifier: BSD-3-Clause
// Counts lines and decisions of the functions of a C++ source, for the limits of CONTRIBUTING.md.
// A function is a body in braces that follows a parameter list outside other functions; what is
// nested (lambdas, loops) belongs to it. Complexity is McCabe's: one plus the number of decisions
// (if, for, while, case, catch, ?, &&, ||).
#pragma once

#include <cctype>
#include <string>
#include <vector>

namespace daedalus::structure {

struct FunctionSize {
  std::string name;
  int first_line = 0, lines = 0, complexity = 1;
};

// Comments and literals become blanks, lines stay.
inline std::string code_of(const std::string& text) {
  std::string out = text;
  enum class In { code, line, block, string, character } in = In::code;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool separator = i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0;
    if (in == In::code && c == '/' && next == '/')
      in = In::line;
    else if (in == In::code && c == '/' && next == '*')
      in = In::block;
    else if (in == In::code && c == '"')
      in = In::string;
    else if (in == In::code && c == '\'' && !separator)
      in = In::character;
    else if (in == In::code)
      continue;
    else if (in == In::line && c == '\n')
      in = In::code;
    else if (in == In::block && c == '*' && next == '/') {
      out[i] = out[i + 1] = ' ';
      ++i;
      in = In::code;
      continue;
    } else if ((in == In::string || in == In::character) && c == '\\') {
      out[i] = out[i + 1] = ' ';
      ++i;
      continue;
    } else if ((in == In::string && c == '"') || (in == In::character && c == '\'')) {
      in = In::code;
    }
    if (c != '\n') out[i] = ' ';
  }
  return out;
}

class FunctionSizes {
 public:
  explicit FunctionSizes(const std::string& text) : code_(code_of(text)) { scan(); }
  std::vector<FunctionSize> found() const { return found_; }

 private:
  static bool word_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  // The text between the last ; { } and the brace: a declaration if it has a parameter list and
  // does not open a type.
  bool opens_function(std::size_t brace) const {
    const std::string head = head_before(brace);
    if (head.find('(') == std::string::npos) return false;
    for (const char* word : {"namespace", "class ", "struct ", "enum ", "union "})
      if (head.rfind(word, 0) == 0) return false;
    return true;
  }

  std::string head_before(std::size_t brace) const {
    std::size_t from = brace;
    while (from > 0 && code_[from - 1] != ';' && code_[from - 1] != '{' && code_[from - 1] != '}')
      --from;
    while (from < brace && std::isspace(static_cast<unsigned char>(code_[from])) != 0) ++from;
    return code_.substr(from, brace - from);
  }

  void scan() {
    int line = 1;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (code_[i] == '\n') ++line;
      if (code_[i] == '{' && opens_function(i)) i = measure(i, line);
    }
  }

  // From the brace to the one that closes it; returns its place.
  std::size_t measure(std::size_t brace, int& line) {
    FunctionSize f;
    const std::string head = head_before(brace);
    f.name = head.substr(0, head.find('('));
    const auto breaks = [](const std::string& s) {
      int n = 0;
      for (const char c : s) n += c == '\n';
      return n;
    };
    f.first_line = line - breaks(head);
    int depth = 0;
    std::size_t i = brace;
    for (; i < code_.size(); ++i) {
      if (code_[i] == '\n') ++line;
      if (code_[i] == '{') ++depth;
      if (code_[i] == '}' && --depth == 0 && !goes_on(i)) break;
      f.complexity += decides(i);
    }
    f.lines = line - f.first_line + 1;
    found_.push_back(f);
    return i;
  }

  // After a member's initialiser in braces: another one or the body.
  bool goes_on(std::size_t brace) const {
    const std::size_t next = code_.find_first_not_of(" \n", brace + 1);
    return next != std::string::npos && (code_[next] == ',' || code_[next] == '{');
  }

  int decides(std::size_t i) const {
    if (code_[i] == '?') return 1;
    if ((code_[i] == '&' || code_[i] == '|') && i + 1 < code_.size() && code_[i + 1] == code_[i])
      return code_[i] == '|' || !reference(i) ? 1 : 0;
    for (const std::string word : {"if", "for", "while", "case", "catch"})
      if (code_.compare(i, word.size(), word) == 0 && (i == 0 || !word_character(code_[i - 1])) &&
          !word_character(code_[i + word.size()]))
        return 1;
    return 0;
  }
  // auto&& x is no decision: && without a blank before it.
  bool reference(std::size_t i) const { return i > 0 && code_[i - 1] != ' '; }

  std::string code_;
  std::vector<FunctionSize> found_;
};

}  // namespace daedalus::structure
