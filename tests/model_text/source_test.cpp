// SPDX-License-Identifier: BSD-3-Clause
// Positions count characters, and point into the file through escapes.
#include <gtest/gtest.h>

#include "model/text/diagnostics.hpp"

namespace daedalus::model {
namespace {

TEST(Sources, LinesAndColumns) {
  const Source source("f", "ab\n\tc\r\n\xC3\xA4\xE2\x82\xACx");
  EXPECT_EQ(source.place(0).line, 1);
  EXPECT_EQ(source.place(4).line, 2);
  EXPECT_EQ(source.place(4).column, 2) << "a tab is one character";
  EXPECT_EQ(source.line(2), "\tc");
  EXPECT_EQ(source.place(12).line, 3);
  EXPECT_EQ(source.place(12).column, 3) << "two characters of two and three bytes before it";
  EXPECT_EQ(source.place(1000).line, 3);
  EXPECT_EQ(source.span_of(3, 3).begin, 12u);
}

TEST(Sources, LongLinesAreCountedInBlocks) {
  std::string line;
  for (int i = 0; i < 5000; ++i) line += "\xC3\xA4";
  const Source source("f", "x\n" + line + "y");
  EXPECT_EQ(source.place(2 + 2 * 5000).column, 5001);
}

TEST(Sources, FragmentsKnowTheirEscapes) {
  // a\u00e4b in the source is three characters in the text, of 1, 2 and 1 bytes.
  const Fragment fragment(
      "a\xC3\xA4"
      "b",
      10, {{3, 4}});
  EXPECT_EQ(fragment.in_source({0, 1}).begin, 10u);
  EXPECT_EQ(fragment.in_source({3, 1}).begin, 17u);
  EXPECT_EQ(fragment.in_source({3, 1}).length, 1u);
}

TEST(Sources, ExcerptsStandAboveACaret) {
  Diagnostics d(std::make_shared<Source>("m.json", "first\n\tder(x) = velosity\n"));
  d.error({16, 8}, "there is no variable 'velosity'", "did you mean 'velocity'?");
  EXPECT_EQ(text(d.sorted()),
            "m.json:2:11: error: there is no variable 'velosity'\n"
            "   2 |  der(x) = velosity\n"
            "     |           ^~~~~~~~\n"
            "hint: did you mean 'velocity'?");
}

TEST(Sources, LongLinesAreCutAroundThePlace) {
  Diagnostics d(std::make_shared<Source>("m", std::string(300, 'a') + "?" + std::string(300, 'b')));
  d.error({300, 1}, "wrong");
  const std::string shown = text(d.sorted());
  const std::size_t second = shown.find('\n') + 1, third = shown.find('\n', second) + 1;
  const std::string line = shown.substr(second, third - second), caret = shown.substr(third);
  EXPECT_LT(line.size(), 130u);
  EXPECT_EQ(line.find('?'), caret.find('^'));
}

TEST(Sources, ErrorsAreLimitedAndSorted) {
  Diagnostics d(std::make_shared<Source>("m", "abcdefghijklmnopqrstuvwxyz0123456789"));
  d.warning({0, 1}, "first in the text");
  for (std::size_t i = 36; i-- > 0;) d.error({i, 1}, "wrong");
  d.error({5, 1}, "wrong");
  const auto list = d.sorted();
  ASSERT_EQ(static_cast<int>(list.size()), max_errors + 1);
  EXPECT_EQ(list.front().column, 17);
  EXPECT_EQ(list.back().message, "first in the text");
  EXPECT_TRUE(d.full());
  EXPECT_THROW(d.throw_if_any(), InvalidModel);
}

TEST(Hints, NearestNameOrTheFewThereAre) {
  EXPECT_EQ(name_hint("velosity", {"position", "velocity"}), "did you mean 'velocity'?");
  EXPECT_EQ(name_hint("xyzzy", {"position", "velocity"}), "known are position, velocity");
  std::vector<std::string> many;
  for (int i = 0; i < 100000; ++i) many.push_back("variable" + std::to_string(i));
  EXPECT_EQ(name_hint("xyzzy", many), "");
  EXPECT_EQ(name_hint("varible7", many), "did you mean 'variable7'?");
}

}  // namespace
}  // namespace daedalus::model
