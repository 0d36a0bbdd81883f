// SPDX-License-Identifier: BSD-3-Clause
// What people type by mistake: every input is answered with a message that quotes it, a hint and
// the right exit code, and never with the words of a library.
#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

struct Silly {
  std::vector<std::string> arguments;
  int code;
  std::vector<std::string> words;  // of the message: what was given, what is allowed
};

// Words of libraries that are no words of ours.
const std::vector<std::string> foreign{
    "Could not convert", "not in range", "[json.exception", "std::",
    "basic_string",      "_M_",          "Value ",          "TEXT",
    "what():",           "e+308",        "0000000000000000"};

class SillyInput : public ::testing::TestWithParam<Silly> {};

TEST_P(SillyInput, IsAnswered) {
  const ScratchFolder folder;
  std::vector<std::string> arguments = GetParam().arguments;
  for (std::string& a : arguments)
    if (a.rfind("@/", 0) == 0) a = folder / a.substr(2);
  const Answer answer = call(arguments);
  EXPECT_EQ(answer.code, GetParam().code) << answer.err;
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(answer.err.rfind("daedalus: ", 0), 0u) << answer.err;
  EXPECT_LT(answer.err.size(), 700u);
  for (const std::string& word : GetParam().words)
    EXPECT_NE(answer.err.find(word), std::string::npos) << word << " in " << answer.err;
  for (const std::string& word : foreign)
    EXPECT_EQ(answer.err.find(word), std::string::npos) << word << " in " << answer.err;
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, SillyInput,
    ::testing::Values(
        Silly{{"solve", "pendulum", "--max-steps", "1.5"}, 2, {"'1.5'", "whole numbers", "1e15"}},
        Silly{{"solve", "pendulum", "--max-steps", "many"}, 2, {"'many'", "whole numbers"}},
        Silly{{"solve", "pendulum", "--max-steps", "0"}, 2, {"'0'", "from 1 to"}},
        Silly{{"solve", "pendulum", "--max-steps", "1e99"}, 2, {"'1e99'", "1e15"}},
        Silly{{"solve", "pendulum", "--points", "1e300", "--out", "@/x.csv"},
              2,
              {"'1e300'", "from 2 to 1e8"}},
        Silly{{"solve", "pendulum", "--points", "-5", "--out", "@/x.csv"}, 2, {"'-5'"}},
        Silly{{"solve", "pendulum", "--points", "100"}, 2, {"--points", "--out"}},
        Silly{{"bench", "pendulum", "--repetitions", "0"}, 2, {"'0'", "from 1 to 1e6"}},
        Silly{{"bench", "pendulum", "--repetitions", "1e400"}, 2, {"'1e400'", "whole"}},
        Silly{{"bench", "pendulum", "--rtol", "1e-6:1e-1000"}, 2, {"'1e-1000'", "1e-3"}},
        Silly{{"sweep", "pendulum", "--set", "length=1:2:3", "--threads", "100000"},
              2,
              {"'100000'", "1 to 4096"}},
        Silly{{"sweep", "pendulum", "--set", "length=1:2:100000000"}, 2, {"2 to 1e7", "length="}},
        Silly{{"sweep", "pendulum", "--set", "length=5parsecs"}, 2, {"'5parsecs'"}},
        Silly{{"solve", "pendulum", "--set", "length=5parsecs"}, 2, {"length", "'5parsecs'"}},
        Silly{{"solve", "pendulum", "--t-end", "5parsecs"}, 2, {"--t-end", "'5parsecs'"}},
        Silly{{"solve", "pendulum", "--rtol", "-1e-6"}, 2, {"'-1e-6'", "negative"}},
        Silly{{"solve", "pendulum", "--rtol", "nan"}, 2, {"'nan'", "finite"}},
        Silly{{"solve", "pendulum", "--atol", "1e-6,"}, 2, {"--atol", "''"}},
        Silly{{"eigen", "pendulum", "--mode", "x"}, 2, {"--mode", "'x'"}},
        Silly{{"check", "pendulum", "--along", "1e9"}, 2, {"'1e9'", "1 to 1000"}},
        Silly{{"order", "pendulum", "--method", "rodas4", "--h", "0"}, 2, {"'0'", "positive"}},
        Silly{{"solve", "pendulum", "--at", "99"}, 2, {"--at", "99", "from 0 to 10"}}));

INSTANTIATE_TEST_SUITE_P(
    Names, SillyInput,
    ::testing::Values(
        Silly{{"solve", "mine.json"}, 3, {"no file 'mine.json'", ".mo", ".cir", "list problems"}},
        Silly{{"solve", "mine.xyz"}, 3, {"no file 'mine.xyz'", ".json", "daedalus new"}},
        Silly{{"solve", "."}, 3, {"'.' is a folder", ".json"}},
        Silly{{"solve", ""}, 2, {"''", "list problems"}},
        Silly{{"solve", "Modelica.No.Such"}, 2, {"Modelica.No.Such", "--library"}},
        Silly{{"solve", "pendulum", "akzo"}, 2, {"'akzo'", "too many words"}},
        Silly{{"report", "."}, 3, {"'.'", "folder"}},
        Silly{{"report", "nothing.json"}, 3, {"nothing.json"}},
        Silly{{"report", "pendulum", "--out", "@/page.pdf"}, 2, {"page.pdf", ".html"}},
        Silly{{"check-table", "."}, 3, {"folder"}},
        Silly{{"convert", "a", "b"}, 2, {"'b'", ".csv"}},
        Silly{{"reproduce", "nothing"}, 2, {"'nothing'", "--list"}},
        Silly{{"flatten", "pendulum"}, 2, {"pendulum"}},
        Silly{{"solve", "pendulum", "--method"}, 2, {"--method needs a value", "--help"}},
        Silly{{"solve", "pendulum", "--method", "bdf", "--method", "radau"}, 2, {"only once"}},
        Silly{{"solve"}, 2, {"'problem' is missing", "--help"}},
        Silly{{"solve", "pendulum", "--json", "--ascii"}, 2, {"--ascii", "--json"}},
        Silly{{"list", "everything"}, 2, {"'everything'"}},
        Silly{{"solve", "pendulum", "--colour", "red"}, 2, {"--colour", "--color"}},
        Silly{{"solve", "pendulum", "--color", "red"}, 2, {"'red'", "auto, always, never"}},
        Silly{{"solve", "x.mo", "--diagnostics", "xml"}, 2, {"'xml'", "text, json"}},
        Silly{{"solve", "pendulum", "--set", "length=1", "--set", "length=2"}, 2, {"length"}},
        Silly{{"reproduce", "--list", "--all"}, 2, {"--list", "--all", "exclude"}},
        Silly{{"help", "slove"}, 2, {"solve"}}));

TEST(WholeNumbers, AreWrittenAsPeopleDo) {
  const Answer wide = call({"solve", "pendulum", "--t-end", "0.1", "--max-steps", "1e6"});
  EXPECT_EQ(wide.code, 0) << wide.err;
  const Answer few = call({"solve", "pendulum", "--max-steps", "2^2"});
  EXPECT_EQ(few.code, 1);
  EXPECT_NE(few.err.find("4 steps"), std::string::npos) << few.err;
}

// What failed in a sweep is quoted with the digits that were given.
TEST(SweptValues, KeepTheirDigits) {
  const Answer answer =
      call({"sweep", "pendulum", "--set", "length=0.1,1e-6", "--t-end", "0.01", "--rtol", "1e-6"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.out.find("9.99999"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("1e-6"), std::string::npos) << answer.out;
}

TEST(EveryCommand, TakesJson) {
  const std::string help = call({"--help"}).out;
  const std::size_t list = help.find("Subcommands:");
  ASSERT_NE(list, std::string::npos);
  std::istringstream lines(help.substr(list));
  std::string line;
  std::getline(lines, line);
  int commands = 0;
  while (std::getline(lines, line) && line.rfind("  ", 0) == 0) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (line[2] == ' ' || name == "completion" || name == "man") continue;  // they print scripts
    ++commands;
    EXPECT_NE(call({name, "--help"}).out.find("--json"), std::string::npos) << name;
  }
  EXPECT_GE(commands, 18);
}

}  // namespace
}  // namespace daedalus::cli
