// SPDX-License-Identifier: BSD-3-Clause
// `daedalus fit`: its JSON, its mistakes, its page and its journal.
#include <cmath>

#include <daedalus/fit.hpp>

#include "tool/tool.hpp"

namespace daedalus::cli::fit_tool_test {
namespace {

using Json = nlohmann::ordered_json;

const std::string root = DAEDALUS_SOURCE_DIR;
const std::string data = root + "/tests/fit/data/";

std::vector<std::string> reactions(const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"fit",     root + "/examples/models/reactions.json",
                                 "--data",  data + "abc.csv",
                                 "--free",  "k1=0.1..10,k2=0.01..1",
                                 "--sigma", "A=0.01,B=0.01,C=0.01",
                                 "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(ToolFit, PrintsWhatScriptsRead) {
  if (!can_fit()) GTEST_SKIP() << "built without Ceres";
  const Answer r = call(reactions());
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = r.json();
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["status"], "converged");
  const Json& k1 = json["parameters"]["k1"];
  EXPECT_NEAR(k1["value"].get<double>(), 0.7026487519633438, 1e-6);
  EXPECT_EQ(k1["lower"], 0.1);
  EXPECT_EQ(k1["upper"], 10.0);
  EXPECT_NEAR(k1["standard_error"].get<double>() / 0.0063811133273396275, 1.0, 1e-3);
  EXPECT_LT(k1["confidence"][0], k1["value"]);
  EXPECT_NEAR(json["correlation"][0][1].get<double>(), -0.3654382568193041, 1e-3);
  EXPECT_TRUE(json["undetermined"].empty());
  EXPECT_NEAR(json["residual_norm"].get<double>(), std::sqrt(2.0 * 37.86748759414391), 1e-6);
  EXPECT_GT(json["runs"], 0);
  EXPECT_EQ(json["failed_runs"], 0);
  EXPECT_EQ(json["fit"]["points"], 72);
  EXPECT_EQ(json["fit"]["experiments"][0]["residuals"]["A"].size(), 24u);
}

TEST(ToolFit, NamesWhatIsNotDetermined) {
  if (!can_fit()) GTEST_SKIP() << "built without Ceres";
  const Answer r = call(reactions({"--ignore", "B,C", "--sigma", "A=0.01"}));
  EXPECT_EQ(r.code, 2) << "B and C have a sigma and are no data";
  const Answer only =
      call({"fit", root + "/examples/models/reactions.json", "--data", data + "abc.csv", "--free",
            "k1=1,k2=0.1", "--sigma", "A=0.01", "--ignore", "B,C", "--json"});
  ASSERT_EQ(only.code, 0) << only.err;
  EXPECT_EQ(only.json()["undetermined"][0]["combination"], "k2");
  EXPECT_TRUE(only.json()["parameters"]["k2"]["standard_error"].is_null());
  EXPECT_TRUE(has(only.err, "no value depends on k2")) << only.err;
}

TEST(ToolFit, MistakesHaveTheirExitCodes) {
  const auto code = [](const std::vector<std::string>& words, const std::string& said) {
    const Answer r = call(words);
    EXPECT_TRUE(has(r.err, said)) << r.err;
    return r.code;
  };
  const std::string file = data + "pendulum-xy.csv";
  EXPECT_EQ(code({"fit", "pendulum", "--data", file, "--free", "lenght"}, "did you mean length?"),
            2);
  EXPECT_EQ(code({"fit", "pendulum", "--data", "nothing.csv", "--free", "length"}, "nothing.csv"),
            3);
  EXPECT_EQ(code({"fit", "pendulum", "--data", file, "--free", "length", "--loss", "l2"}, "--loss"),
            2);
  EXPECT_EQ(code({"fit", "pendulum", "--data", file, "--free", "length", "--sigma", "z=1"},
                 "no column of the data"),
            2);
  EXPECT_EQ(code({"fit", "pendulum", "--data", file}, "--free"), 2);
  EXPECT_EQ(code({"fit", "pendulum", "--data", file, "--free", "length", "--report", "a.txt"},
                 "must end in .html"),
            2);
}

TEST(ToolFit, TheSameCommandAnswersFromItsJournal) {
  if (!can_fit()) GTEST_SKIP() << "built without Ceres";
  const ScratchFolder folder;
  const std::vector<std::string> words = reactions({"--journal", folder / "fit.jsonl"});
  const Json first = call(words).json(), again = call(words).json();
  EXPECT_EQ(first["parameters"], again["parameters"]);
  EXPECT_EQ(again["fit"]["known_evaluations"], again["fit"]["evaluations"]);
  const Answer other = call(reactions({"--journal", folder / "fit.jsonl", "--loss", "cauchy"}));
  EXPECT_EQ(other.code, 3);
  EXPECT_TRUE(has(other.err, "belongs to another fit")) << other.err;
}

}  // namespace
}  // namespace daedalus::cli::fit_tool_test
