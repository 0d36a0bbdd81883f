// SPDX-License-Identifier: BSD-3-Clause
// `daedalus sweep` with laws, bands, refinement and its page.
#include <gmock/gmock.h>

#include <daedalus/parameter_plan.hpp>

#include "tool/sweep_plan.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli::sweep_sample_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

TEST(SweepSample, RunsThePointsOfTheLibrary) {
  const Answer answer =
      call({"sweep", "pendulum", "--set", "length=lognormal(1,0.1)", "--set", "mass=1,2",
            "--samples", "5", "--sampling", "sobol", "--seed", "3", "--t-end", "0.1", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Json json = answer.json();
  ASSERT_EQ(json["runs"].size(), 10u);
  const ParameterPlan plan =
      daedalus::sample({{"length", value_law("lognormal(1,0.1)")}},
                       {.samples = 5, .sampling = Sampling::sobol, .seed = 3});
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_EQ(json["runs"][k]["parameters"]["length"], plan.point(k % 5)[0]);
    EXPECT_EQ(json["runs"][k]["parameters"]["mass"], k < 5 ? 1.0 : 2.0);
  }
  EXPECT_EQ(json["statuses"], (Json{{"success", 10}}));
  const Answer text = call(
      {"sweep", "pendulum", "--set", "length=normal(1,0.1)", "--samples", "20", "--t-end", "0.1"});
  EXPECT_THAT(text.out, HasSubstr("quantiles of the end values, 20 runs"));
}

// The period of a pendulum over its length is smooth; at the length where it turns over it is not.
TEST(SweepRefine, AddsRunsWhereResultsChange) {
  const ScratchFolder folder;
  const std::vector<std::string> words{"sweep",   "pendulum",  "--set",           "length=0.2:2:7",
                                       "--t-end", "3",         "--refine",        "0.3",
                                       "--json",  "--journal", folder / "j.jsonl"};
  const Json json = call(words).json();
  const std::size_t all = json["runs"].size();
  ASSERT_GT(all, 7u);
  ASSERT_LT(all, 200u);
  // New points lie more densely where the pendulum is fast: for short lengths.
  std::size_t low = 0;
  for (std::size_t k = 7; k < all; ++k)
    low += json["runs"][k]["parameters"]["length"].get<double>() < 1.1 ? 1 : 0;
  EXPECT_GT(low, (all - 7) / 2);
  // A journal goes on in the middle of a refinement, with the same points.
  const std::string text = contents(folder / "j.jsonl");
  std::size_t end = 0;
  for (int lines = 0; lines < 10; ++lines) end = text.find('\n', end) + 1;
  std::ofstream(folder / "j.jsonl", std::ios::trunc) << text.substr(0, end);
  Json again = call(words).json(), first = json;
  for (Json* document : {&again, &first}) {
    document->erase("seconds");
    for (Json& run : (*document)["runs"]) run.erase("seconds");
  }
  EXPECT_EQ(again, first);
}

TEST(SweepReport, HasBandsAndFailureCounts) {
  const ScratchFolder folder;
  const std::string page = folder / "page.html";
  const Answer answer =
      call({"sweep", "chain-se3", "--set", "mass=normal(0.5,0.5)", "--samples", "12", "--t-end",
            "0.01", "--quiet", "--report", page, "--bands", "5"});
  if (has(answer.err, "built without its report page")) GTEST_SKIP() << "npm is missing";
  ASSERT_EQ(answer.code, 0) << answer.err;
  const std::string text = contents(page);
  const std::size_t begin = text.find("id=\"run\">") + 9;
  const Json json = Json::parse(text.substr(begin, text.find("</script>", begin) - begin));
  const Json sweep = json.at("sweep_page");
  EXPECT_EQ(sweep["runs"], 12);
  EXPECT_GT(sweep["failed"].get<int>(), 0) << "negative masses";
  EXPECT_EQ(sweep["statuses"]["invalid_argument"], sweep["failed"]);
  EXPECT_EQ(sweep["bands"]["t"].size(), 5u);
  EXPECT_EQ(sweep["bands"]["counts"][4], 12 - sweep["failed"].get<int>());
  EXPECT_EQ(sweep["bands"]["y"].begin().value().size(), 5u);
  EXPECT_EQ(call({"sweep", "pendulum", "--set", "length=1,2", "--report", "x.txt"}).code, 2);
}

}  // namespace
}  // namespace daedalus::cli::sweep_sample_test
