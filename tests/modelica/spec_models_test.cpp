// SPDX-License-Identifier: BSD-3-Clause
// The models of tests/modelica/spec against their reference values: by closed forms, or by two
// independent integrators (spec/references.json says how).
#include <cmath>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "modelica/run_model.hpp"

namespace daedalus {
namespace {

nlohmann::json references() {
  std::ifstream file(modelica_test::spec_folder() + "/references.json");
  return nlohmann::json::parse(file).at("models");
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  const nlohmann::json all = references();
  for (const auto& [name, model] : all.items()) list.push_back(name);
  return list;
}

class SpecModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { reference_ = references().at(GetParam()); }

  // Digits of the worst value, relative to max(1, |value|).
  void expect_digits(const modelica_test::Result& r, double digits) const {
    for (const auto& [name, value] : reference_.at("values").items()) {
      ASSERT_TRUE(r.values.count(name)) << name;
      const double want = value.get<double>(), got = r.values.at(name);
      EXPECT_LE(std::abs(got - want), std::pow(10.0, -digits) * std::max(1.0, std::abs(want)))
          << name << " = " << got << ", reference " << want;
    }
    for (const auto& name : reference_.value("exact", nlohmann::json::array()))
      EXPECT_EQ(r.values.at(name.get<std::string>()),
                reference_.at("values").at(name.get<std::string>()).get<double>())
          << name;
  }

  modelica_test::Result run(double tolerance) const {
    const std::string name = GetParam();
    return modelica_test::run(reference_.at("file").get<std::string>(),
                              name.find('.') == std::string::npos ? "" : name, tolerance);
  }

  nlohmann::json reference_;
};

TEST_P(SpecModel, ReachesItsDigitsAtItsOwnTolerance) {
  const modelica_test::Result r = run(0.0);
  if (GetParam() == "ZenoBall") {
    EXPECT_EQ(r.status, Status::events_accumulate) << r.message;
    EXPECT_NEAR(r.end_time, 1.354570923, 1e-4);  // the limit of the impacts
    return;
  }
  ASSERT_EQ(r.status, Status::success) << r.message;
  expect_digits(r, reference_.at("digits").get<double>());
  if (reference_.contains("index")) {
    EXPECT_EQ(r.index, reference_.at("index").get<int>());
  }
  // Every event of the reference is met; others (of values that were reached) may lie between.
  for (const auto& event : reference_.value("events", nlohmann::json::array())) {
    double nearest = 1e300;
    for (const double t : r.events) nearest = std::min(nearest, std::abs(t - event.get<double>()));
    EXPECT_LE(nearest, 1e-7) << "event at t = " << event;
  }
}

TEST_P(SpecModel, ReachesFourDigitsAtOneMillionth) {
  if (GetParam() == "ZenoBall") return;
  const modelica_test::Result r = run(1e-6);
  ASSERT_EQ(r.status, Status::success) << r.message;
  expect_digits(r, reference_.value("index", 1) == 3 ? 3.0 : 4.0);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, SpecModel, testing::ValuesIn(names()), test_name);

}  // namespace
}  // namespace daedalus
