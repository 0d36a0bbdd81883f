// SPDX-License-Identifier: BSD-3-Clause
// Any text ends in a formula or in an error with a place inside it: no crash, no endless run. A few
// thousand inputs, and 10^5 of them with the slow tests, which the sanitizer build runs as well.
#include <random>

#include <gtest/gtest.h>

#include "model_text/formulas.hpp"

namespace daedalus::model {
namespace {

const std::vector<std::string>& pieces() {
  static const std::vector<std::string> list{"x",      "y",       "der(",   "pre(",
                                             "sin(",   "if ",     " then ", " else ",
                                             "elseif", "(",       ")",      "[",
                                             "]",      "+",       "-",      "*",
                                             "/",      "^",       "**",     "<",
                                             "<=",     "==",      "=",      "!=",
                                             "<>",     " and ",   " or ",   " not ",
                                             "?",      ":",       ",",      ".",
                                             ";",      "1",       "2.5e3",  "1e",
                                             "1e999",  "0x",      "'",      "\"",
                                             "\\",     "assert(", "\xC3",   "\xE2\x88\x92",
                                             "\t",     "\n",      " ",      "{",
                                             "}",      "u[3]",    "time",   "true",
                                             "$",      "\x01"};
  return list;
}

std::string random_text(std::mt19937& random) {
  std::string content;
  const int length = static_cast<int>(random() % 40);
  const unsigned manner = random() % 3;
  if (manner == 0) {  // any bytes
    for (int k = 0; k < length; ++k) content += static_cast<char>(random() % 256);
    return content;
  }
  if (manner == 1) {  // pieces of formulas
    for (int k = 0; k < length; ++k) content += pieces()[random() % pieces().size()];
    return content;
  }
  content = "if x > 0.5 then der(x)*sin(y^2) + u[3] else assert(x < y, atan2(x, -y), \"no\")";
  for (unsigned k = random() % 4; k-- > 0;) {  // a good one with mistakes
    const std::size_t at = random() % content.size();
    if (random() % 2)
      content.erase(at, 1 + random() % 5);
    else
      content.insert(at, pieces()[random() % pieces().size()]);
    if (content.empty()) content = "x";
  }
  return content;
}

void formulas_end(int count, unsigned seed) {
  std::mt19937 random(seed);
  for (int k = 0; k < count; ++k) {
    const std::string content = random_text(random);
    graph::Graph g;
    NamedScope scope(g);
    for (const char* name : {"x", "y", "u[3]"}) scope.state(name);
    const Want want = random() % 2 ? Want::equation : Want::expression;
    const ReadFormula result = read_formula(content, scope, want);
    ASSERT_EQ(!result.value, !result.wrong.empty()) << content;
    const Source source("f", content);
    for (const SourceDiagnostic& d : result.wrong) {
      ASSERT_GE(d.line, 1);
      ASSERT_LE(d.line, source.place(content.size()).line);
      ASSERT_GE(d.column, 1);
      ASSERT_LE(d.column, static_cast<int>(character_count(source.line(d.line))) + 2) << content;
      ASSERT_FALSE(text(d).empty());
    }
  }
}

TEST(Fuzz, FormulasEnd) { formulas_end(3000, 11); }
TEST(SlowFuzz, HundredThousandFormulasEnd) { formulas_end(100000, 12); }

}  // namespace
}  // namespace daedalus::model
