// SPDX-License-Identifier: BSD-3-Clause
// Models in the style of textbooks, against values that their authors would compute by hand
// (textbook/values.json: closed forms, counts, recursions).
#include <algorithm>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "modelica/run_model.hpp"

namespace daedalus {
namespace {

const std::string textbook_folder = DAEDALUS_SOURCE_DIR "/tests/modelica/textbook/";

nlohmann::json textbook_values() {
  std::ifstream file(textbook_folder + "values.json");
  return nlohmann::json::parse(file);
}

std::vector<std::string> textbook_names() {
  std::vector<std::string> list;
  const nlohmann::json all = textbook_values();
  for (const auto& [name, model] : all.items()) list.push_back(name);
  return list;
}

class Textbook : public testing::TestWithParam<std::string> {};

TEST_P(Textbook, EndsWithTheValuesOfItsClosedForm) {
  const nlohmann::json want = textbook_values().at(GetParam());
  ModelicaOptions options;
  options.model = want.value("model", std::string());
  ModelicaFile file = read_modelica_file(textbook_folder + GetParam() + ".mo", options);
  file.entry.t_end = want.at("t").get<double>();
  const modelica_test::Result r = modelica_test::run(file, 1e-9);
  ASSERT_TRUE(r.status == Status::success || r.status == Status::stopped_by_event) << r.message;
  const double tolerance = want.value("tolerance", 1e-6);
  for (const auto& [name, value] : want.at("values").items()) {
    ASSERT_TRUE(r.values.count(name)) << name;
    const double v = value.get<double>();
    EXPECT_LE(std::abs(r.values.at(name) - v), tolerance * std::max(1.0, std::abs(v)))
        << name << " = " << r.values.at(name) << ", not " << v;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Textbook, testing::ValuesIn(textbook_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace daedalus
