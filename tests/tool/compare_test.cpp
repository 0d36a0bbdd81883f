// SPDX-License-Identifier: BSD-3-Clause
// `daedalus compare`: what fits takes part, what does not is left out, and numbers are those of
// single runs.
#include <gmock/gmock.h>

#include "tool/tool.hpp"

namespace daedalus::cli::compare_test {
namespace {

using testing::HasSubstr;

TEST(Compare, RunsWhatFits) {
  const Answer answer =
      call({"compare", "pendulum", "--t-end", "1", "--methods", "bdf,rodas4,hedop5,odassl",
            "--formulations", "index2,index1,ggl", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  std::vector<std::string> pairs;
  const auto json = answer.json();
  for (const auto& run : json.at("runs")) {
    pairs.push_back(run.at("formulation").get<std::string>() + " " +
                    run.at("method").get<std::string>());
    EXPECT_EQ(run.at("status"), "success");
  }
  // rodas4 handles index 1, hedop5 index2 alone, odassl its own formulations.
  EXPECT_THAT(pairs, testing::UnorderedElementsAre("index2 bdf", "index2 hedop5", "index1 bdf",
                                                   "index1 rodas4", "ggl bdf"));
}

TEST(Compare, GivesTheNumbersOfASingleRun) {
  const Answer both = call({"compare", "car-axis", "--rtol", "1e-5", "--methods", "bdf",
                            "--formulations", "ggl", "--json"});
  const Answer one = call(
      {"solve", "car-axis", "--rtol", "1e-5", "--method", "bdf", "--formulation", "ggl", "--json"});
  ASSERT_EQ(both.code, 0) << both.err;
  const auto run = both.json().at("runs").at(0);
  EXPECT_EQ(run.at("mescd"), one.json().at("error").at("mescd"));
  EXPECT_EQ(run.at("steps"), one.json().at("statistics").at("steps"));
  EXPECT_EQ(run.at("position_max"), one.json().at("constraints").at("position_max"));
}

TEST(Compare, PrintsMarkdownWithEightColumns) {
  const Answer answer = call({"compare", "pendulum", "--t-end", "1", "--methods", "bdf",
                              "--formulations", "index2", "--markdown"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  std::istringstream lines(answer.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_EQ(std::count(line.begin(), line.end(), '|'), 9) << line;
  EXPECT_EQ(count, 3);
}

TEST(Compare, NamesWhatThereIsNot) {
  const Answer answer = call({"compare", "pendulum", "--methods", "rodas44"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("rodas4"));
}

}  // namespace
}  // namespace daedalus::cli::compare_test
