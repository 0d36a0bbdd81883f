// SPDX-License-Identifier: BSD-3-Clause
// `daedalus sweep --shard` and `--merge`: parts of a sweep, and one document of them that is that
// of one process.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include <gmock/gmock.h>

#include <daedalus/types.hpp>

#include "io/heartbeat_lock.hpp"
#include "tool/sweep_shard.hpp"
#include "tool/tool.hpp"

namespace daedalus::cli::sweep_shard_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

Environment environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

std::string refused(const std::string& text, const Environment& from = environment({})) {
  try {
    return "understood as " + parse_shard(text, from).text();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

TEST(Shard, TakesIOfNAndNothingElse) {
  EXPECT_EQ(refused("3/16"), "understood as 3/16");
  for (const char* text : {"0/16", "17/16", "3", "a/b", "/", "1/", "/2", "1/2/3", "-1/2", "1.5/2"})
    EXPECT_EQ(refused(text),
              std::string("--shard has '") + text + "'; allowed is I/N with 1 <= I <= N");
  const Shard shard{3, 4};
  std::vector<int> own;
  for (int k = 0; k < 12; ++k)
    if (shard.has(static_cast<std::size_t>(k))) own.push_back(k);
  EXPECT_EQ(own, (std::vector<int>{2, 6, 10}));
  EXPECT_EQ(shard_file("sweep.jsonl", {3, 16}), "sweep.jsonl.d/shard-003-of-016.jsonl");
}

TEST(Shard, AutoReadsTheBatchSystem) {
  EXPECT_EQ(refused("auto", environment({{"SLURM_ARRAY_TASK_ID", "7"},
                                         {"SLURM_ARRAY_TASK_MIN", "1"},
                                         {"SLURM_ARRAY_TASK_MAX", "16"}})),
            "understood as 7/16");
  EXPECT_EQ(refused("auto", environment({{"SLURM_ARRAY_TASK_ID", "4"},
                                         {"SLURM_ARRAY_TASK_MIN", "0"},
                                         {"SLURM_ARRAY_TASK_MAX", "8"},
                                         {"SLURM_ARRAY_TASK_STEP", "2"}})),
            "understood as 3/5");
  EXPECT_EQ(refused("auto", environment({{"JOB_COMPLETION_INDEX", "0"}, {"DAEDALUS_SHARDS", "4"}})),
            "understood as 1/4");
  EXPECT_EQ(refused("auto", environment({{"PARALLEL_SEQ", "2"}, {"DAEDALUS_SHARDS", "4"}})),
            "understood as 2/4");
  EXPECT_EQ(refused("auto", environment({{"PBS_ARRAY_INDEX", "4"}, {"DAEDALUS_SHARDS", "4"}})),
            "understood as 4/4");
  EXPECT_EQ(refused("auto", environment({{"SGE_TASK_ID", "2"},
                                         {"SGE_TASK_FIRST", "1"},
                                         {"SGE_TASK_LAST", "3"},
                                         {"SGE_TASK_STEPSIZE", "1"}})),
            "understood as 2/3");
  EXPECT_EQ(refused("auto", environment({{"LSB_JOBINDEX", "2"}, {"LSB_JOBINDEX_END", "3"}})),
            "understood as 2/3");
  const std::string none = refused("auto", environment({{"SGE_TASK_ID", "undefined"}}));
  for (const char* name : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "PARALLEL_SEQ",
                           "DAEDALUS_SHARDS", "PBS_ARRAY_INDEX"})
    EXPECT_THAT(none, HasSubstr(name));
  EXPECT_THAT(refused("auto", environment({{"PARALLEL_SEQ", "2"}})),
              HasSubstr("DAEDALUS_SHARDS does not say"));
  EXPECT_THAT(refused("auto", environment({{"PARALLEL_SEQ", "9"}, {"DAEDALUS_SHARDS", "4"}})),
              HasSubstr("beyond 4 shards"));
}

const std::vector<std::string> sweep{"sweep", "pendulum", "--set",   "length=0.5:2:5",
                                     "--set", "mass=1,3", "--t-end", "0.1"};

std::vector<std::string> with(std::vector<std::string> words, std::vector<std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Json without_seconds(Json json) {
  for (Json& run : json["runs"]) run.erase("seconds");
  json.erase("seconds");
  return json;
}

class Merge : public ::testing::Test {
 protected:
  const ScratchFolder folder;
  const std::string journal = folder / "s.jsonl";
  Answer shard(const std::string& text, std::vector<std::string> more = {}) const {
    return call(with(with(sweep, {"--quiet", "--shard", text, "--journal", journal}), more));
  }
  Answer merge(std::vector<std::string> more) const {
    return call(with(with(sweep, {"--merge", "--journal", journal}), more));
  }
};

TEST_F(Merge, IsTheDocumentOfOneProcess) {
  for (const char* text : {"1/3", "2/3", "3/3"}) ASSERT_EQ(shard(text).code, 0);
  const Json one = call(with(sweep, {"--json"})).json();
  EXPECT_EQ(without_seconds(merge({"--json"}).json()), without_seconds(one));
  // The same from files named one by one, in any order and without the sweep.
  const auto part = [&](int i) {
    return shard_file(journal, {static_cast<std::size_t>(i), 3}).string();
  };
  const Answer files = call({"sweep", "--json", "--merge", part(3), part(1), part(2)});
  ASSERT_EQ(files.code, 0) << files.err;
  EXPECT_EQ(without_seconds(files.json()), without_seconds(one));
  // Tables byte for byte.
  ASSERT_EQ(call(with(sweep, {"--quiet", "--out", folder / "one.csv"})).code, 0);
  ASSERT_EQ(merge({"--quiet", "--out", folder / "all.csv"}).code, 0);
  EXPECT_EQ(contents(folder / "all.csv"), contents(folder / "one.csv"));
}

TEST_F(Merge, TakesTablesAndDocumentsOfShards) {
  std::vector<std::string> tables, documents;
  for (int i = 1; i <= 4; ++i) {
    const std::string name = folder / ("part" + std::to_string(i));
    tables.push_back(name + ".csv");
    documents.push_back(name + ".json");
    const std::string text = std::to_string(i) + "/4";
    ASSERT_EQ(call(with(sweep, {"--quiet", "--shard", text, "--out", tables.back()})).code, 0);
    ASSERT_EQ(call(with(sweep, {"--quiet", "--shard", text, "--out", documents.back()})).code, 0);
  }
  std::swap(tables[0], tables[3]);
  ASSERT_EQ(call(with(sweep, {"--quiet", "--out", folder / "one.csv"})).code, 0);
  ASSERT_EQ(call(with({"sweep", "--quiet", "--out", folder / "all.csv", "--merge"}, tables)).code,
            0);
  EXPECT_EQ(contents(folder / "all.csv"), contents(folder / "one.csv"));
  const Answer merged = call(with({"sweep", "--json", "--merge"}, documents));
  EXPECT_EQ(without_seconds(merged.json()), without_seconds(call(with(sweep, {"--json"})).json()));
  tables.pop_back();
  const Answer part = call(with({"sweep", "--out", folder / "part.csv", "--merge"}, tables));
  EXPECT_EQ(part.code, 1);
  EXPECT_THAT(part.err, HasSubstr("3 of 10 runs are missing: 0, ..."));
}

TEST_F(Merge, NamesWhatIsMissing) {
  for (const char* text : {"1/4", "3/4", "4/4"}) ASSERT_EQ(shard(text).code, 0);
  const Answer part = merge({"--json"});
  EXPECT_EQ(part.code, 1);
  EXPECT_THAT(part.err, HasSubstr("3 of 10 runs are missing: 1, 5, 9 (shard 2 of 4)"));
  const Answer some = merge({"--json", "--partial"});
  EXPECT_EQ(some.code, 0);
  EXPECT_EQ(some.json()["runs"].size(), 7u);
  // Shards of another number may be mixed.
  ASSERT_EQ(shard("2/2").code, 0);
  const Answer whole = merge({"--json"});
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.json()["runs"].size(), 10u);
}

TEST_F(Merge, RefusesForeignAndContradictingParts) {
  ASSERT_EQ(shard("1/2").code, 0);
  ASSERT_EQ(shard("2/2").code, 0);
  const std::string first = shard_file(journal, {1, 2}), second = shard_file(journal, {2, 2});
  const Answer other = call({"sweep", "pendulum", "--set", "length=0.5:2:5", "--set", "mass=1,3",
                             "--t-end", "0.2", "--merge", first, second});
  EXPECT_EQ(other.code, 3);
  for (const char* word : {"shard-001-of-002.jsonl", "t_end", "0.1", "0.2"})
    EXPECT_THAT(other.err, HasSubstr(word));
  // Another number for run 0, in a journal that is whole in itself.
  const auto documents = [&](double x) {
    Json json = call(with(sweep, {"--json", "--shard", "1/2"})).json();
    json["runs"][0]["y"]["x"] = x;
    return json.dump();
  };
  std::ofstream(folder / "a.json") << documents(0.25);
  const Answer contradiction = call({"sweep", "--merge", first, second, folder / "a.json"});
  EXPECT_EQ(contradiction.code, 3);
  for (const char* word : {"run 0", "shard-001-of-002.jsonl", "a.json", "x is", "0.25"})
    EXPECT_THAT(contradiction.err, HasSubstr(word));
  EXPECT_EQ(call({"sweep", "--merge", folder / "none.jsonl"}).code, 3);
  EXPECT_EQ(call({"sweep", "--merge"}).code, 2);
}

// Documents that people or programs changed: keys in another order are the same document, what no
// sweep writes is refused as a file, in words about the file.
TEST_F(Merge, ReadsByNameAndRefusesWhatNoSweepWrites) {
  const std::string path = folder / "a.json";
  const Json whole = call(with(sweep, {"--json"})).json();
  const auto merged = [&](const Json& json) {
    std::ofstream(path) << json.dump();
    return call({"sweep", "--json", "--merge", path});
  };
  Json turned = whole;
  for (Json& run : turned["runs"]) {
    Json y = Json::object();
    std::vector<std::string> names;
    for (const auto& [name, value] : run["y"].items()) names.insert(names.begin(), name);
    for (const std::string& name : names) y[name] = run["y"][name];
    run["y"] = y;
  }
  const Answer same = merged(turned);
  ASSERT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.json()["runs"][3]["y"], whole["runs"][3]["y"]);

  struct Change {
    const char *key, *value, *says;
  };
  for (const Change& c : {Change{"/runs/1/status", "7", "another type"},
                          {"/runs/1/status", "\"a,b\"", "no status"},
                          {"/runs/1/y", "[1]", "no values"},
                          {"/runs/1/y", "{\"x\": 1}", "other variables"},
                          {"/runs/1/engine", "\"steam\"", "an engine"},
                          {"/runs/1/engine", "1", "another type"},
                          {"/runs/1/run", "\"1\"", "without a number"},
                          {"/shard", "\"x\"", "'shard'"},
                          {"/shard", "{}", "'shard'"},
                          {"/threads", "\"two\"", "'threads'"},
                          {"/sweep", "[]", "another version"},
                          {"/sweep/set", "3", "'set'"}}) {
    SCOPED_TRACE(std::string(c.key) + " = " + c.value);
    Json changed = whole;
    changed[Json::json_pointer(c.key)] = Json::parse(c.value);
    const Answer answer = merged(changed);
    EXPECT_EQ(answer.code, 3);
    EXPECT_THAT(answer.err, HasSubstr(c.says));
    EXPECT_THAT(answer.err, HasSubstr("a.json"));
  }
}

// A table has no sum: a row that was cut off is seen by its fields, a number by the missing end.
TEST_F(Merge, RefusesTablesThatWereCutOff) {
  const std::string path = folder / "part.csv";
  ASSERT_EQ(call(with(sweep, {"--quiet", "--shard", "1/2", "--out", path})).code, 0);
  const std::string whole = contents(path);
  const auto merged = [&](const std::string& text) {
    std::ofstream(path) << text;
    return call({"sweep", "--partial", "--merge", path});
  };
  EXPECT_EQ(merged(whole).code, 0);
  const Answer number = merged(whole.substr(0, whole.size() - 3));
  EXPECT_EQ(number.code, 3);
  EXPECT_THAT(number.err, HasSubstr("was cut off"));
  const Answer row = merged(whole.substr(0, whole.rfind(',')) + "\n");
  EXPECT_EQ(row.code, 3);
  EXPECT_THAT(row.err, HasSubstr("line 6: there are"));
}

TEST_F(Merge, AShardIsResumedAndWrittenByOneProcessOnly) {
  ASSERT_EQ(shard("1/2").code, 0);
  const std::string file = shard_file(journal, {1, 2});
  const std::string whole = contents(file);
  ASSERT_EQ(std::count(whole.begin(), whole.end(), '\n'), 6);
  // Killed within the last line.
  std::filesystem::resize_file(file, whole.size() - 30);
  ASSERT_EQ(shard("1/2").code, 0);
  const std::string again = contents(file);
  EXPECT_EQ(std::count(again.begin(), again.end(), '\n'), 6);
  const std::string lock = shard_file(journal, {1, 2}).replace_extension(".lock");
  EXPECT_FALSE(std::filesystem::exists(lock));
  {
    const HeartbeatLock held(lock, file, {});
    const Answer second = shard("1/2");
    EXPECT_EQ(second.code, 3);
    EXPECT_THAT(second.err, HasSubstr("shard-001-of-002.jsonl' is being written by process " +
                                      std::to_string(getpid()) + " on "));
    EXPECT_THAT(second.err, HasSubstr(" s ago)"));
  }
  // Of a process that is gone: no process has the largest number and this beginning.
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  std::ofstream(lock) << Json{{"host", host}, {"process", 4194304}, {"began", "1"}}.dump();
  const Answer dead = shard("1/2");
  EXPECT_EQ(dead.code, 0);
  EXPECT_THAT(dead.err, HasSubstr("is gone; it is taken over"));
  // Of another machine: not as long as it gives signs.
  const auto foreign = [&](long age) {
    std::ofstream(lock) << Json{{"host", "node7"}, {"process", 4711}, {"began", "1"}}.dump();
    const timespec then{time(nullptr) - age, 0};
    const timespec both[] = {then, then};
    utimensat(AT_FDCWD, lock.c_str(), both, 0);
    return shard("1/2");
  };
  const Answer alive = foreign(12);
  EXPECT_EQ(alive.code, 3);
  // Twelve seconds, and what the call took.
  EXPECT_THAT(alive.err,
              ::testing::ContainsRegex("is being written by process 4711 on node7 .1[2-9] s ago"));
  EXPECT_EQ(foreign(601).code, 0);
}

TEST(SweepCommand, SaysWhatDoesNotGoTogether) {
  EXPECT_EQ(call(with(sweep, {"--shard", "17/16"})).code, 2);
  EXPECT_EQ(call(with(sweep, {"--shard", "1/2", "--refine", "0.1"})).code, 2);
  EXPECT_EQ(call(with(sweep, {"--samples", "3"})).code, 2);
  EXPECT_EQ(call(with(sweep, {"--partial"})).code, 2);
  EXPECT_EQ(call({"sweep"}).code, 2);
  EXPECT_EQ(call({"sweep", "pendulum", "--set", "length=normal(1)"}).code, 2);
  EXPECT_EQ(call({"sweep", "pendulum", "--set", "length=normal(1,0.1)", "--sampling", "x"}).code,
            2);
}

}  // namespace
}  // namespace daedalus::cli::sweep_shard_test
