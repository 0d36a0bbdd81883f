// SPDX-License-Identifier: BSD-3-Clause
// Typing errors get the nearest name, wrong usage ends with 2.
#include "tool/names.hpp"

#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

TEST(UnknownNames, NearestThenPartThenWhereToLook) {
  const std::vector<std::string> names{"rodas4", "rk4", "transistor-amplifier", "pendulum"};
  const auto text = [&](const char* given) { return unknown_name("thing", given, names, "list"); };
  EXPECT_EQ(text("pendulun"), "there is no thing 'pendulun'; did you mean pendulum?");
  EXPECT_EQ(text("rodsa4"), "there is no thing 'rodsa4'; did you mean rodas4?");
  EXPECT_EQ(text("transistor"),
            "there is no thing 'transistor'; did you mean transistor-amplifier?");
  // Another word is no typing error.
  EXPECT_EQ(text("heptane"), "there is no thing 'heptane'; 'list' shows what there is");
}

struct Misspelled {
  std::vector<std::string> arguments;
  std::string suggestion;
};

class Suggestions : public ::testing::TestWithParam<Misspelled> {};

TEST_P(Suggestions, NameTheNearestAndEndWithTwo) {
  const Answer answer = call(GetParam().arguments);
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_NE(answer.err.find("did you mean " + GetParam().suggestion), std::string::npos)
      << answer.err;
}

INSTANTIATE_TEST_SUITE_P(
    Tool, Suggestions,
    ::testing::Values(
        Misspelled{{"solve", "pendulun"}, "pendulum?"}, Misspelled{{"slove", "pendulum"}, "solve"},
        Misspelled{{"solve", "pendulum", "--method", "rodsa4"}, "rodas4"},
        Misspelled{{"solve", "pendulum", "--formulation", "indx3"}, "index3"},
        Misspelled{{"solve", "pendulum", "--set", "lenght=2"}, "length?"},
        Misspelled{{"solve", "pendulum", "--mehtod", "rodas4"}, "--method"},
        Misspelled{{"show", "robetson"}, "robertson"}, Misspelled{{"show", "rodas44"}, "rodas4"},
        Misspelled{{"list", "problms"}, "problems"}, Misspelled{{"check", "akz"}, "akzo"},
        Misspelled{{"explain", "brenann"}, "brenan"},
        Misspelled{{"order", "brenan", "--method", "rodas4", "--norm", "er1"}, "err1"}));

struct Wrong {
  std::vector<std::string> arguments;
  std::string word;  // that the message must contain
};

TEST(BareName, PrintsTheHelp) {
  const Answer bare = call({}), asked = call({"--help"});
  EXPECT_EQ(bare.code, 0);
  EXPECT_EQ(bare.out, asked.out);
  EXPECT_NE(bare.out.find("solve"), std::string::npos);
}

class WrongUsage : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongUsage, EndsWithTwoAndSaysWhy) {
  const Answer answer = call(GetParam().arguments);
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_NE(answer.err.find(GetParam().word), std::string::npos) << answer.err;
}

INSTANTIATE_TEST_SUITE_P(
    Tool, WrongUsage,
    ::testing::Values(
        Wrong{{"solve"}, "problem"}, Wrong{{"heptane"}, "heptane"},
        Wrong{{"benhc", "pendulum"}, "no command 'benhc'"},
        Wrong{{"solve", "pendulum", "--rtol", "small"}, "--rtol"},
        Wrong{{"solve", "pendulum", "--rtol", "-1"}, "rtol"},
        Wrong{{"solve", "pendulum", "--atol", "1e-6,1e-6"}, "--atol has 2 values"},
        Wrong{{"solve", "pendulum", "--set", "length"}, "name=value"},
        Wrong{{"solve", "pendulum", "--projection", "sometimes"}, "every-step"},
        Wrong{{"solve", "pendulum", "--fixed-step", "0"}, "--fixed-step"},
        Wrong{{"solve", "pendulum", "--option", "no-such-key=1"}, "no-such-key"},
        Wrong{{"solve", "pendulum", "--out", "run.xls"}, ".csv, .json"},
        Wrong{{"solve", "pendulum", "--plot", "run.png"}, ".svg"},
        Wrong{{"solve", "pendulum", "--points", "1"}, "--points"},
        Wrong{{"order", "brenan", "--method", "rodas4", "--h", "0.1:0.01:2"}, "FROM:TO"},
        Wrong{{"order", "brenan", "--method", "rodas4", "--h", "0.1,-0.1"}, "positive"},
        Wrong{{"order", "andrews", "--method", "rodas4", "--t-end", "0.01"}, "no reference"},
        Wrong{{"reproduce"}, "--list"}, Wrong{{"reproduce", "--list", "--all"}, "--all"}));

TEST(Usage, HelpAndVersionSucceed) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--help"}, {"--version"}, {"solve", "--help"}, {"order", "--help"}}) {
    const Answer answer = call(arguments);
    EXPECT_EQ(answer.code, 0);
    EXPECT_NE(answer.out, "");
    EXPECT_EQ(answer.err, "");
  }
  EXPECT_NE(call({"solve", "--help"}).out.find("mescd"), std::string::npos);
}

}  // namespace
}  // namespace daedalus::cli
