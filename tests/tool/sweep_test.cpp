// SPDX-License-Identifier: BSD-3-Clause
// `daedalus sweep`: the same numbers with any number of threads, failures kept, resumed runs not
// repeated.
#include <daedalus/types.hpp>

#include "io/content_hash.hpp"
#include "tool/sweep_plan.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli::sweep_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(SweepPlan, RunsThroughAllCombinationsWithTheLastParameterFastest) {
  const SweepPlan plan({"a=1:3:3", "b=0.1:10:3:log", "c=7"});
  ASSERT_EQ(plan.size(), 9u);
  EXPECT_EQ(plan.point(0), (std::vector<double>{1.0, 0.1, 7.0}));
  EXPECT_NEAR(plan.point(1)[1], 1.0, 1e-15);
  EXPECT_EQ(plan.point(5), (std::vector<double>{2.0, 10.0, 7.0}));
  EXPECT_EQ(plan.point(8), (std::vector<double>{3.0, 10.0, 7.0}));
  EXPECT_EQ(SweepPlan({"a=2,5,3"}).axes()[0].values, (std::vector<double>{2, 5, 3}));
}

TEST(SweepPlan, NamesWhatItDoesNotUnderstand) {
  const auto message = [](const std::string& text) {
    try {
      SweepPlan plan({text});
      return std::string("understood");
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
  };
  for (const char* text :
       {"a", "=1", "a=", "a=1:2", "a=1:2:1", "a=1:2:2.5", "a=1:2:3:lin", "a=-1:2:3:log", "a=1:x:3"})
    EXPECT_NE(message(text).find("--set"), std::string::npos) << text << ": " << message(text);
  EXPECT_THROW(SweepPlan({"a=1", "a=2"}), InvalidArgument);
  EXPECT_THROW(SweepPlan({"a=1:2:10000", "b=1:2:10000"}), InvalidArgument);
}

Json without_times(Json json) {
  for (Json& run : json["runs"]) run.erase("seconds");
  json.erase("seconds");
  json.erase("threads");
  return json;
}

TEST(Sweep, NumbersDoNotDependOnTheNumberOfThreads) {
  const std::vector<std::string> words{"sweep",    "pendulum", "--set", "length=0.5:2:6", "--set",
                                       "mass=1,3", "--t-end",  "0.3",   "--json"};
  const auto with = [&](const char* threads) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--threads", threads});
    const Answer r = call(all);
    EXPECT_EQ(r.code, 0) << r.err;
    return Json::parse(r.out);
  };
  const Json one = with("1"), three = with("3");
  EXPECT_EQ(one["threads"], 1);
  EXPECT_EQ(three["threads"], 3);
  ASSERT_EQ(one["runs"].size(), 12u);
  EXPECT_EQ(without_times(one), without_times(three));
  // A run of the sweep is the run that solve makes.
  EXPECT_EQ(one["runs"][3]["parameters"], (Json{{"length", 0.8}, {"mass", 3.0}}));
  const Answer alone = call(
      {"solve", "pendulum", "--set", "length=0.8", "--set", "mass=3", "--t-end", "0.3", "--json"});
  EXPECT_EQ(one["runs"][3]["y"], alone.json()["y"]);
}

TEST(Sweep, KeepsFailuresWithTheirParameters) {
  const Answer r = call({"sweep", "chain-se3", "--set", "mass=-1,1", "--t-end", "0.01",
                         "--max-steps", "1000", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(r.out);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["runs"][0]["status"], "invalid_argument");
  EXPECT_NE(json["runs"][0]["message"].get<std::string>().find("mass"), std::string::npos);
  EXPECT_EQ(json["runs"][1]["status"], "success");
  EXPECT_EQ(call({"sweep", "pendulum", "--set", "lenght=1:2:3"}).code, 2);
}

TEST(Sweep, GoesOnWhereItsJournalEnds) {
  const ScratchFolder folder;
  const std::string journal = folder / "j.jsonl";
  const std::vector<std::string> words{"sweep",   "pendulum",  "--set",  "length=1:2:5",
                                       "--t-end", "0.1",       "--json", "--journal",
                                       journal,   "--threads", "1"};
  const Json whole = Json::parse(call(words).out);
  std::ifstream in(journal);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 6u);
  // Killed while the fourth run was written; the second run carries a mark, and the check sums that
  // follow from it.
  std::string text, check;
  for (std::size_t k = 0; k < 4; ++k) {
    Json json = Json::parse(lines[k]);
    json.erase("check");
    if (k == 2) json["y"]["x"] = 42.0;
    check = files::ContentHash::of(check + json.dump());
    json["check"] = check;
    text += json.dump() + '\n';
  }
  std::ofstream(journal, std::ios::trunc) << text << lines[4].substr(0, 20);
  const Json resumed = Json::parse(call(words).out);
  ASSERT_EQ(resumed["runs"].size(), 5u);
  EXPECT_EQ(resumed["runs"][1]["y"]["x"], 42.0) << "a finished run was repeated";
  EXPECT_EQ(resumed["runs"][3]["y"], whole["runs"][3]["y"]);

  std::vector<std::string> other = words;
  other[3] = "length=1:3:5";
  const Answer refused = call(other);
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("length=1:2:5"), std::string::npos) << refused.err;
  std::ofstream(journal, std::ios::trunc) << lines[0] << "\nnonsense\n";
  const Answer broken = call(words);
  EXPECT_EQ(broken.code, 3);
  EXPECT_NE(broken.err.find("line 2"), std::string::npos) << broken.err;
}

TEST(Sweep, WritesATableThatHoldsNoTimes) {
  const ScratchFolder folder;
  const std::string file = folder / "s.csv";
  const Answer r =
      call({"sweep", "pendulum", "--set", "length=1,2", "--t-end", "0.1", "--out", file});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("2 of 2 runs finished, 0 failed"), std::string::npos) << r.out;
  std::ifstream in(file);
  std::string head;
  std::getline(in, head);
  EXPECT_EQ(head, "length,status,t,x,y,u,v,lambda");
}

// Lanes and the library's loop: the engine is said, and the tables agree to the tolerance.
TEST(Sweep, SaysWhichEngineRanItAndWhy) {
  const std::vector<std::string> sweep{
      "sweep", "transistor-amplifier", "--set", "R1=8000:9000:70", "--t-end", "1e-3", "--json"};
  std::vector<double> ends[2];
  for (const std::string engine : {"lanes", "threads"}) {
    std::vector<std::string> words = sweep;
    words.insert(words.end(), {"--engine", engine});
    const Answer r = call(words);
    ASSERT_EQ(r.code, 0) << r.err;
    const Json json = Json::parse(r.out);
    EXPECT_EQ(json["engine"], engine);
    for (const Json& run : json["runs"]) {
      EXPECT_EQ(run["engine"], engine);
      ends[engine == "lanes"].push_back(run["y"]["U2"].get<double>());
    }
  }
  ASSERT_EQ(ends[0].size(), 70u);
  for (std::size_t k = 0; k < 70; ++k) EXPECT_NEAR(ends[0][k], ends[1][k], 1e-5);
  const Answer refused = call({"sweep", "pendulum", "--set", "length=1,2", "--engine", "gpu"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("gpu"), std::string::npos) << refused.err;
  const Answer plain = call(
      {"sweep", "pendulum", "--set", "length=1:2:1000", "--t-end", "1e-3", "--method", "radau5"});
  EXPECT_NE(plain.out.find("engine threads: no lanes: the method radau5"), std::string::npos)
      << plain.out;
}

}  // namespace
}  // namespace daedalus::cli::sweep_test
