// SPDX-License-Identifier: BSD-3-Clause
// Every wrong model gets its place, its words and its hint, and nothing else is said.
#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "modelica/run_model.hpp"

namespace daedalus {
namespace {

nlohmann::json wrong_models() {
  std::ifstream file(modelica_test::spec_folder() + "/wrong.json");
  return nlohmann::json::parse(file).at("models");
}

class WrongModel : public testing::TestWithParam<int> {};

// Names in quotes and after 'lines' are what a hint must not get wrong.
std::vector<std::string> quoted_words(const std::string& hint) {
  std::vector<std::string> words;
  std::size_t from = 0;
  while ((from = hint.find('\'', from)) != std::string::npos) {
    const std::size_t to = hint.find('\'', from + 1);
    if (to == std::string::npos) break;
    words.push_back(hint.substr(from, to - from + 1));
    from = to + 1;
  }
  return words;
}

TEST_P(WrongModel, GetsItsPlaceWordsAndHint) {
  const nlohmann::json wanted = wrong_models().at(static_cast<std::size_t>(GetParam()));
  const std::string file = wanted.at("file").get<std::string>();
  std::vector<SourceDiagnostic> found;
  std::vector<std::string> phases;
  try {
    const ModelicaFile read = modelica_test::read(file);
    found = read.warnings;
    phases = read.phases;
  } catch (const InvalidModelica& wrong) {
    found = wrong.diagnostics;
    phases = wrong.phases;
  }
  ASSERT_EQ(found.size(), 1u) << file << '\n' << text(found);
  const SourceDiagnostic& d = found.front();
  EXPECT_TRUE(d.file.ends_with(file)) << d.file;
  EXPECT_EQ(d.line, wanted.at("line").get<int>()) << text(d);
  EXPECT_EQ(d.column, wanted.at("column").get<int>()) << text(d);
  EXPECT_EQ(to_string(d.severity), wanted.at("severity").get<std::string>());
  EXPECT_EQ(phases.front(), wanted.at("phase").get<std::string>());
  for (const auto& fragment : wanted.at("must_contain"))
    EXPECT_NE(d.message.find(fragment.get<std::string>()), std::string::npos)
        << "'" << fragment << "' in: " << d.message;
  ASSERT_FALSE(d.hint.empty());
  for (const std::string& word : quoted_words(wanted.at("hint").get<std::string>()))
    EXPECT_NE(d.hint.find(word), std::string::npos) << word << " in: " << d.hint;
}

INSTANTIATE_TEST_SUITE_P(All, WrongModel,
                         testing::Range(0, static_cast<int>(wrong_models().size())));

}  // namespace
}  // namespace daedalus
