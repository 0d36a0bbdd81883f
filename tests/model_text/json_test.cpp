// SPDX-License-Identifier: BSD-3-Clause
// Texts that are no JSON: the place, what is wrong in words of this library, the line and a caret.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedalus/trajectory_file.hpp>

#include "io/json.hpp"

namespace daedalus::json {
namespace {

using testing::HasSubstr;
using testing::Not;

// The mistake is where '@' stands, which is not part of the text.
struct Case {
  std::string text, says;
};

std::string message_of(const std::string& text) {
  try {
    (void)parse_json(text, "bad.json");
  } catch (const FileError& error) {
    return error.what();
  }
  return "accepted";
}

const std::vector<Case>& cases() {
  static const std::vector<Case> list{
      {"{\"a\": 1\n @\"b\": 2}", "a text where JSON has a comma or the end of the object, '}'"},
      {"{\"a\": [1, 2@,]}", "a comma before the closing ']'"},
      {"{\"a\": 1@,\n}", "a comma before the closing '}'"},
      {"[1, @, 2]", "',' where JSON has a value"},
      {"{@'a': 1}", "double quotes, not single ones"},
      {"{@a: 1}", "'a' where JSON has a name in double quotes"},
      {"{\"b\" @2}", "'2' where JSON has a colon behind the name"},
      {"{\"a\": 1@]", "']' cannot close the '{' of line 1, column 1"},
      {"[1 @2]", "'2' where JSON has a comma or the end of the list, ']'"},
      {"{\"a\": 1} @x", "'x' where JSON has the end of the file"},
      {"[@NaN]", "JSON has no 'NaN'"},
      {"[@True]", "write true, false or null"},
      {"[@tru]", "'tru' where JSON has a value"},
      {"[@01]", "'01' is no number of JSON"},
      {"[@-]", "'-' is no number of JSON"},
      {"[1, @1e400, 2]", "'1e400' is out of the range of numbers"},
      {"[\"1e400\", @1e400]", "'1e400' is out of the range of numbers"},
      {"@# no\n{}", "JSON has no comments"},
      {"{@// no\n}", "JSON has no comments"},
      {"{\"a\": [1, 2@", "the text ends here, and the '[' of line 1, column 7 is not closed"},
      {"{\"a\":@ \n\n", "the text ends here, and the '{' of line 1, column 1 is not closed"},
      {"@", "there is nothing in it"},
      {"{\"a\": @\"abc", "the closing double quote of this text is missing"},
      {"[@\"abc\n\"]", "the closing double quote is missing on this line"},
      {"[\"a@\tb\"]", "has to be written \\u0009"},
      {"[\"\\\\@\\q\"]", "'\\q' is no escape of JSON"},
      {"[\"@\\u12\"]", "\\u needs four hexadecimal digits"},
      {"[\"@\\ud800x\"]", "'\\ud800' is half of a character"},
      {"[\"\xc3\xa4@\xff\"]", "these bytes are no UTF-8"},
      {"\xEF\xBB\xBF[@?]", "'?' where JSON has a value"}};
  return list;
}

TEST(WrongJson, IsExplainedWhereItStands) {
  for (const Case& c : cases()) {
    const std::size_t at = c.text.find('@');
    std::string text = c.text;
    text.erase(at, 1);
    const std::string message = message_of(text);
    EXPECT_THAT(message, HasSubstr(c.says)) << c.text;
    const files::TextPlace place = files::place_in(text, at);
    EXPECT_THAT(message, HasSubstr(fmt::format("'bad.json' is no JSON, or was cut off: line {}, "
                                               "column {}: ",
                                               place.line, place.column)))
        << c.text;
    // The line and the caret below the place: the last two lines.
    const std::size_t last = message.rfind('\n');
    ASSERT_NE(last, std::string::npos) << c.text;
    EXPECT_EQ(message.substr(last + 1, static_cast<std::size_t>(7 + place.column)),
              "     | " + std::string(static_cast<std::size_t>(place.column - 1), ' ') + "^")
        << c.text;
    EXPECT_THAT(message, Not(HasSubstr("parse error"))) << c.text;
    EXPECT_THAT(message, Not(HasSubstr("syntax"))) << c.text;
  }
}

// Wherever a good document is cut off or one of its bytes is another, there is a place, and never
// another exception.
TEST(WrongJson, EveryCutAndEveryByteHasAMessage) {
  const std::string good =
      R"({"a": [1, -2.5e3, true, null], "b\u00e9\ud83d\ude00": {"c": "x\"y"}, "d": []})";
  EXPECT_EQ(message_of(good), "accepted");
  int refused = 0;
  const auto look = [&](const std::string& text) {
    const std::string message = message_of(text);
    if (message == "accepted") return;
    ++refused;
    EXPECT_THAT(message, HasSubstr(": line 1, column ")) << text;
    EXPECT_THAT(message, Not(HasSubstr("json.exception"))) << text;
    EXPECT_THAT(message, Not(HasSubstr("parsing"))) << text;
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    look(good.substr(0, i));
    for (const char c : std::string("\0\"\\,:[]{}1x\xff\x80 ", 15)) {
      std::string changed = good;
      changed[i] = c;
      look(changed);
    }
  }
  EXPECT_GT(refused, 500);
}

// A document of a run is one line of megabytes.
TEST(WrongJson, LongLinesAreShownAroundThePlace) {
  std::string text = "[";
  for (int i = 0; i < 100'000; ++i) text += "1,";
  const std::string message = message_of(text + "x,2]");
  EXPECT_LT(message.size(), 500u);
  EXPECT_THAT(message, HasSubstr("line 1, column 200002: 'x' where JSON has a value"));
  EXPECT_THAT(message, HasSubstr("..."));
}

}  // namespace
}  // namespace daedalus::json
