// The mechanism of `reproduce` with made-up experiments: one right, one wrong, one that throws.
#include <limits>

#include "experiments/experiment.hpp"
#include "tool/tool.hpp"

namespace daedalus::experiments {
namespace {

using cli::Answer;
using cli::call;
using Json = nlohmann::ordered_json;

std::vector<Experiment> made_up() {
  return {{.id = "circle-1",
           .title = "The circle",
           .source = "Archimedes",
           .seconds = 1e-3,
           .run = [](Context&) -> std::vector<Claim> {
             return {number_claim("circle-1a", "22/7 is near pi", 3.14159, 22.0 / 7.0, 0.002),
                     open_claim("circle-1b", "he was pleased", "the source does not say")};
           }},
          {.id = "circle-2",
           .title = "The circle, worse",
           .source = "Archimedes",
           .run = [](Context&) -> std::vector<Claim> {
             return {number_claim("circle-2a", "3 is near pi", 3.14159, 3.0, 0.002)};
           }},
          {.id = "squaring",
           .title = "The square",
           .source = "Lindemann",
           .run = [](Context&) -> std::vector<Claim> {
             throw std::runtime_error("ruler and compass do not suffice");
           }}};
}

std::span<const Experiment> span_of(const std::vector<Experiment>& list) { return list; }

TEST(Claims, CompareWithinTheirTolerance) {
  EXPECT_TRUE(number_claim("", "", 1.0, 1.25, 0.25).holds);
  EXPECT_FALSE(number_claim("", "", 1.0, 1.26, 0.25).holds);
  EXPECT_EQ(number_claim("", "", 1.0, 1.26, 0.25).verdict, Verdict::deviates);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(number_claim("", "", 1.0, nan, 0.25).holds);
  EXPECT_FALSE(number_claim("", "", nan, 1.0, 0.25).holds);
  EXPECT_EQ(fact_claim("", "", false).verdict, Verdict::deviates);
  EXPECT_EQ(open_claim("", "", "").verdict, Verdict::not_reproducible);
}

TEST(Reproduce, ListGivesEveryExperiment) {
  const auto experiments = made_up();
  const Json json = call({"reproduce", "--list", "--json"}, span_of(experiments)).json();
  ASSERT_EQ(json.at("experiments").size(), 3u);
  for (const Json& experiment : json.at("experiments"))
    for (const char* key : {"id", "title", "source", "seconds"})
      EXPECT_TRUE(experiment.contains(key)) << key;
  const Answer text = call({"reproduce", "--list"}, span_of(experiments));
  EXPECT_NE(text.out.find("circle-2"), std::string::npos);
}

TEST(Reproduce, AnEmptyListIsASentence) {
  const Answer answer = call({"reproduce", "--list"}, std::span<const Experiment>());
  EXPECT_EQ(answer.code, 0);
  EXPECT_NE(answer.out.find("no experiments"), std::string::npos);
  const Json json = call({"reproduce", "--list", "--json"}, std::span<const Experiment>()).json();
  EXPECT_EQ(json.at("experiments"), Json::array());
}

TEST(Reproduce, ConfirmedAndOpenClaimsSucceed) {
  const auto experiments = made_up();
  const Answer answer = call({"reproduce", "circle-1", "--json"}, span_of(experiments));
  EXPECT_EQ(answer.code, 0);
  const Json json = answer.json();
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("id"), "circle-1");
  EXPECT_EQ(json.at("source"), "Archimedes");
  ASSERT_EQ(json.at("claims").size(), 2u);
  for (const Json& claim : json.at("claims"))
    for (const char* key :
         {"id", "claim", "expected", "measured", "tolerance", "verdict", "holds", "remark"})
      EXPECT_TRUE(claim.contains(key)) << key;
  EXPECT_EQ(json.at("claims")[0].at("verdict"), "confirmed");
  EXPECT_EQ(json.at("claims")[1].at("verdict"), "not-reproducible");
  EXPECT_TRUE(json.at("claims")[1].at("expected").is_null());
}

TEST(Reproduce, ADeviationEndsWithOne) {
  const auto experiments = made_up();
  const Answer answer = call({"reproduce", "circle-2", "--json"}, span_of(experiments));
  EXPECT_EQ(answer.code, 1);
  const Json claim = answer.json().at("claims")[0];
  EXPECT_EQ(claim.at("verdict"), "deviates");
  EXPECT_EQ(claim.at("holds"), false);
  EXPECT_EQ(claim.at("measured"), 3.0);
}

TEST(Reproduce, AnExceptionIsADeviationWithItsWords) {
  const auto experiments = made_up();
  const Answer answer = call({"reproduce", "squaring", "--json"}, span_of(experiments));
  EXPECT_EQ(answer.code, 1);
  const Json claim = answer.json().at("claims")[0];
  EXPECT_EQ(claim.at("verdict"), "deviates");
  EXPECT_NE(claim.at("remark").get<std::string>().find("ruler and compass"), std::string::npos);
}

TEST(Reproduce, AllCountsPerSourceAndGoesOnAfterAnException) {
  const auto experiments = made_up();
  const Answer answer = call({"reproduce", "--all", "--json"}, span_of(experiments));
  EXPECT_EQ(answer.code, 1);
  const Json json = answer.json();
  ASSERT_EQ(json.at("sources").size(), 2u);
  const Json& archimedes = json.at("sources")[0];
  EXPECT_EQ(archimedes.at("source"), "Archimedes");
  EXPECT_EQ(archimedes.at("confirmed"), 1);
  EXPECT_EQ(archimedes.at("deviates"), 1);
  EXPECT_EQ(archimedes.at("not-reproducible"), 1);
  EXPECT_EQ(json.at("sources")[1].at("deviates"), 1);
  EXPECT_EQ(json.at("experiments").size(), 3u);

  const std::vector<Experiment> good{experiments.front()};
  EXPECT_EQ(call({"reproduce", "--all"}, span_of(good)).code, 0);
}

TEST(Reproduce, UnknownNamesGetASuggestion) {
  const auto experiments = made_up();
  const Answer answer = call({"reproduce", "circel-1"}, span_of(experiments));
  EXPECT_EQ(answer.code, 2);
  EXPECT_NE(answer.err.find("did you mean circle-1"), std::string::npos) << answer.err;
}

TEST(Reproduce, NamesOfRegisteredExperimentsAreUnique) {
  std::vector<std::string> ids;
  for (const Experiment& experiment : all_experiments()) {
    EXPECT_TRUE(static_cast<bool>(experiment.run)) << experiment.id;
    for (const std::string& id : ids) EXPECT_NE(id, experiment.id);
    ids.push_back(experiment.id);
  }
}

}  // namespace
}  // namespace daedalus::experiments
