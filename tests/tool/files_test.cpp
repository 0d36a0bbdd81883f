// SPDX-License-Identifier: BSD-3-Clause
// Files of a run: complete, re-readable, written also when the run fails, and never half.
#include "tool/tool.hpp"

namespace daedalus::cli {
namespace {

using Json = nlohmann::ordered_json;

void expect_last_row_is_the_end(const Csv& csv, const Json& json) {
  ASSERT_FALSE(csv.rows.empty());
  const std::vector<double>& last = csv.rows.back();
  ASSERT_EQ(csv.header.size(), json.at("y").size() + 1);
  ASSERT_EQ(last.size(), csv.header.size());
  EXPECT_EQ(csv.header[0], "t");
  EXPECT_EQ(last[0], json.at("t").get<double>());
  for (std::size_t j = 1; j < last.size(); ++j)
    EXPECT_EQ(last[j], json.at("y").at(csv.header[j]).get<double>()) << csv.header[j];
}

TEST(Files, CsvReadAgainGivesTheSameNumbers) {
  const ScratchFolder folder;
  const std::string path = folder / "run.csv";
  const Answer answer = call({"solve", "pendulum", "--json", "--out", path});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Csv csv = read_csv(path);
  ASSERT_FALSE(csv.rows.empty());
  expect_last_row_is_the_end(csv, answer.json());
  const long accepted = answer.json().at("statistics").at("accepted");
  EXPECT_EQ(csv.rows.size(), static_cast<std::size_t>(accepted) + 1);  // the start and every step
  EXPECT_EQ(csv.rows.front()[1], 1.0);                                 // x = length at the start
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Files, PointsAreEquidistant) {
  const ScratchFolder folder;
  const std::string path = folder / "run.csv";
  const Answer answer = call({"solve", "pendulum", "--json", "--points", "11", "--out", path});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Csv csv = read_csv(path);
  ASSERT_EQ(csv.rows.size(), 11u);
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_DOUBLE_EQ(csv.rows[i][0], static_cast<double>(i));
    // On the circle to the accuracy of the dense output at rtol 1e-6.
    EXPECT_NEAR(std::hypot(csv.rows[i][1], csv.rows[i][2]), 1.0, 1e-3) << i;
  }
  expect_last_row_is_the_end(csv, answer.json());
}

TEST(Files, JsonHoldsTheRunAndItsTrajectory) {
  const ScratchFolder folder;
  const std::string path = folder / "run.json";
  const Answer answer = call({"solve", "pendulum", "--json", "--points", "5", "--out", path});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Json file = Json::parse(contents(path));
  EXPECT_EQ(file.at("version"), 1);
  EXPECT_EQ(file.at("y"), answer.json().at("y"));
  EXPECT_EQ(file.at("trajectory").at("t").size(), 5u);
  const Json end = answer.json().at("y");
  for (const auto& [name, value] : end.items())
    EXPECT_EQ(file.at("trajectory").at("y").at(name).back(), value) << name;
}

class FailedRun : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(FailedRun, WritesWhatWasComputed) {
  const ScratchFolder folder;
  const std::string path = folder / "run.csv";
  std::vector<std::string> arguments{"solve",  "pendulum", "--max-steps", "5",
                                     "--json", "--out",    path};
  arguments.insert(arguments.end(), GetParam().begin(), GetParam().end());
  const Answer answer = call(arguments);
  EXPECT_EQ(answer.code, 1);
  const Json json = answer.json();
  EXPECT_EQ(json.at("status"), "too_many_steps");
  EXPECT_NE(json.at("message"), "");
  EXPECT_TRUE(json.at("error").is_null());
  EXPECT_NE(answer.err.find("too_many_steps"), std::string::npos);
  const Csv csv = read_csv(path);
  ASSERT_FALSE(csv.rows.empty());
  expect_last_row_is_the_end(csv, json);
  EXPECT_GT(csv.rows.back()[0], 0.0);
  EXPECT_LT(csv.rows.back()[0], 10.0);
  EXPECT_EQ(folder.files(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Tool, FailedRun,
                         ::testing::Values(std::vector<std::string>{},
                                           std::vector<std::string>{"--points", "1001"}));

TEST(Files, UnwritablePlacesEndWithThreeBeforeTheRun) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "folder.csv");
  for (const std::string& path : {folder / "missing/run.csv", folder / "folder.csv"}) {
    const Answer answer = call({"solve", "pendulum", "--json", "--out", path});
    EXPECT_EQ(answer.code, 3);
    EXPECT_EQ(answer.out, "");
    EXPECT_NE(answer.err.find(path), std::string::npos) << answer.err;
  }
  EXPECT_EQ(folder.files(), 1u);
  EXPECT_EQ(call({"solve", "pendulum", "--trace", folder / "missing/t.jsonl"}).code, 3);
}

TEST(Files, FullDiskIsNoticed) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Answer answer = call({"solve", "pendulum", "--trace", "/dev/full"});
  EXPECT_EQ(answer.code, 3);
}

TEST(Files, AnOldFileSurvivesAWrongCommand) {
  const ScratchFolder folder;
  const std::string path = folder / "run.csv";
  std::ofstream(path) << "old\n";
  EXPECT_EQ(call({"solve", "pendulum", "--option", "no-such-key=1", "--out", path}).code, 2);
  EXPECT_EQ(contents(path), "old\n");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Files, TraceHasOneRecordPerAttempt) {
  const ScratchFolder folder;
  const std::string path = folder / "trace.jsonl";
  const Answer answer = call({"solve", "pendulum", "--json", "--trace", path});
  ASSERT_EQ(answer.code, 0) << answer.err;
  std::istringstream lines(contents(path));
  long attempts = 0, accepted = 0;
  for (std::string line; std::getline(lines, line); ++attempts) {
    const Json record = Json::parse(line);
    for (const char* key : {"number", "t", "h", "order", "error", "newton_iterations", "outcome"})
      EXPECT_TRUE(record.contains(key)) << key;
    if (record.at("outcome") == "accepted") ++accepted;
  }
  const Json statistics = answer.json().at("statistics");
  EXPECT_EQ(attempts, statistics.at("steps").get<long>());
  EXPECT_EQ(accepted, statistics.at("accepted").get<long>());
}

TEST(Files, QuietPrintsNothingAndStillWrites) {
  const ScratchFolder folder;
  const std::string path = folder / "run.csv";
  const Answer answer = call({"solve", "pendulum", "--quiet", "--out", path});
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(answer.err, "");
  EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace daedalus::cli
