// SPDX-License-Identifier: BSD-3-Clause
// Documents that are JSON, but of another kind than they should be in one place: every value in
// turn becomes one of each other kind, or is left out. Such a file is read or refused; nothing of
// the parser's text and no exception without words reaches the user.
#include <gmock/gmock.h>

#include "tool/tool.hpp"

namespace daedalus::cli::json_documents_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

const std::vector<Json>& others() {
  static const std::vector<Json> list{
      nullptr, true, -1, 1e300, "text", Json::array(), {1, 2}, Json::object(), {{"x", {{"y", 1}}}}};
  return list;
}

// Every place of the document but those deep in long lists, which are alike.
std::vector<Json::json_pointer> places(const Json& document) {
  std::vector<Json::json_pointer> list;
  const std::function<void(const Json&, const Json::json_pointer&)> visit =
      [&](const Json& part, const Json::json_pointer& here) {
        list.push_back(here);
        constexpr std::size_t alike = 2;
        if (part.is_array())
          for (std::size_t k = 0; k < std::min(alike, part.size()); ++k) visit(part[k], here / k);
        if (part.is_object())
          for (const auto& [name, value] : part.items()) visit(value, here / name);
      };
  visit(document, Json::json_pointer());
  return list;
}

void survives(const std::string& file, const Json& document,
              const std::vector<std::string>& command) {
  std::ofstream(file) << document;
  const Answer answer = call(command);
  EXPECT_THAT(answer.code, testing::AnyOf(0, 1, 2, 3)) << document << answer.err;
  for (const char* text : {"json.exception", "ended with an exception", "parse error",
                           "basic_string", "std::", "vector::"})
    EXPECT_THAT(answer.err + answer.out, Not(HasSubstr(text))) << document;
}

void walk(const ScratchFolder& folder, const std::string& text, std::vector<std::string> command) {
  const std::string file = folder / "document.json";
  for (std::string& word : command)
    if (word.starts_with("@")) word = folder / word.substr(1);
  const Json document = Json::parse(text);
  int changed = 0;
  for (const Json::json_pointer& place : places(document)) {
    for (const Json& other : others()) {
      Json wrong = document;
      wrong[place] = other;
      survives(file, wrong, command);
      ++changed;
    }
    if (place.empty()) continue;
    Json wrong = document;
    Json& parent = wrong[place.parent_pointer()];
    if (parent.is_object())
      parent.erase(place.back());
    else
      parent.erase(0);
    survives(file, wrong, command);
  }
  EXPECT_GT(changed, 50);
}

TEST(JsonDocuments, RunsAreConvertedOrRefused) {
  const ScratchFolder folder;
  ASSERT_EQ(call({"solve", "pendulum", "--t-end", "0.05", "--rtol", "1e-2", "--quiet", "--out",
                  folder / "run.json"})
                .code,
            0);
  walk(folder, contents(folder / "run.json"), {"convert", "@document.json", "@copy.csv"});
}

TEST(JsonDocuments, RunsAreReportedOrRefused) {
  const ScratchFolder folder;
  ASSERT_EQ(call({"solve", "pendulum", "--t-end", "0.05", "--rtol", "1e-2", "--quiet", "--out",
                  folder / "run.json"})
                .code,
            0);
  walk(folder, contents(folder / "run.json"), {"report", "@document.json"});
}

TEST(JsonDocuments, SweepsAreMergedOrRefused) {
  const ScratchFolder folder;
  ASSERT_EQ(call({"sweep", "pendulum", "--set", "length=1,2", "--t-end", "0.05", "--rtol", "1e-2",
                  "--threads", "1", "--quiet", "--out", folder / "sweep.json"})
                .code,
            0);
  walk(folder, contents(folder / "sweep.json"),
       {"sweep", "--quiet", "--merge", "@document.json", "--out", "@all.csv"});
}

TEST(JsonDocuments, TablesAreCheckedOrRefused) {
  const ScratchFolder folder;
  walk(folder, contents(DAEDALUS_SOURCE_DIR "/examples/tables/hedop5-other-row.json"),
       {"check-table", "@document.json"});
}

TEST(JsonDocuments, ModelsAreSolvedOrRefused) {
  const ScratchFolder folder;
  walk(folder,
       R"({"daedalus": "model", "name": "m", "interval": [0, 0.1], "parameters": {"k": {"value": 1,
           "min": 0}}, "variables": {"x": {"start": 1, "fixed": true}, "v": [1, 2]}, "discrete":
           {"n": 0}, "equations": ["der(x) = -k*x", "der(v) = -v"], "when": [{"condition": "x < 0.95",
           "set": {"n": "1"}}], "outputs": {"w": "2*x"}})",
       {"check", "@document.json"});
}

}  // namespace
}  // namespace daedalus::cli::json_documents_test
