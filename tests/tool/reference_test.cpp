// SPDX-License-Identifier: BSD-3-Clause
// The error measures against numbers worked out by hand.
#include "tool/reference.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tool/names.hpp"

namespace daedalus::cli {
namespace {

struct Case {
  Variables variables{{"a", "b", "p", "w"},
                      {{VariableClass::y, 1, 0, 2}, {VariableClass::z, 1, 2, 2}}};
  Eigen::Vector4d y{1.001, 100.02, 1e-6, 3.0};
  Target target{{{"a", 1.0}, {"b", 100.0}, {"p", 0.0}}, {}, 10, "by hand"};
  StateView state() const { return {variables, 0.0, y.data()}; }
};

TEST(RunErrors, FollowTheirDefinitions) {
  const Case c;
  // rtol 1e-2, atol 1e-3: atol/rtol = 0.1.
  const RunError e = measure_error(c.state(), c.target, 1e-2, 1e-3);
  EXPECT_NEAR(e.relative, 1e-3, 1e-15);  // a: 0.001/1; p has reference 0
  EXPECT_NEAR(e.scd, 3.0, 1e-12);
  EXPECT_NEAR(e.mescd, -std::log10(1e-3 / 1.1), 1e-12);  // a: 0.001/(0.1 + 1)
  EXPECT_NEAR(e.per_class.at("y"), 1e-3, 1e-15);
  EXPECT_NEAR(e.per_class.at("z"), 1e-6 / 0.1, 1e-18);  // p: |ref| < atol/rtol
}

TEST(RunErrors, OnlyCountedVariablesCount) {
  Case c;
  c.target.counted = {"b"};
  const RunError e = measure_error(c.state(), c.target, 1e-2, 1e-3);
  EXPECT_NEAR(e.relative, 2e-4, 1e-15);
  EXPECT_NEAR(e.per_class.at("y"), 1e-3, 1e-15);  // classes are over all values
}

TEST(RunErrors, TolerancesPerVariable) {
  const Case c;
  const RunError e = measure_error(c.state(), c.target, 1e-2, {1e-3, 1e-3, 1e-10, 1.0});
  EXPECT_NEAR(e.mescd, -std::log10(1e-6 / 1e-8), 1e-12);  // p: error 1e-6, atol/rtol 1e-8
}

TEST(RunErrors, NotANumberIsNotHidden) {
  Case c;
  c.y[0] = NAN;
  const RunError e = measure_error(c.state(), c.target, 1e-2, 1e-3);
  EXPECT_TRUE(std::isnan(e.relative));
  EXPECT_TRUE(std::isnan(e.mescd));
  EXPECT_TRUE(describe(e, c.target)["scd"].is_null());
}

TEST(RunErrors, NoMoreDigitsThanRoundOff) {
  Case c;
  c.y << 1.0, 100.0, 0.0, 0.0;
  EXPECT_NEAR(measure_error(c.state(), c.target, 1e-2, 1e-3).scd, 15.65, 0.01);  // -log10(2^-52)
}

TEST(Targets, ExactZerosAreZero) {
  problems::Entry entry = require_problem("pde-2d");
  entry.reference.reset();
  entry.exact = [](double, const problems::Values&) {
    return std::vector<std::pair<std::string, double>>{{"a", 2.0}, {"b", 1e-17}, {"c", -1e-12}};
  };
  const auto target = target_at(entry, choose_parameters(entry, {}), entry.t_end);
  EXPECT_EQ(target->values[0].second, 2.0);
  EXPECT_EQ(target->values[1].second, 0.0);
  EXPECT_EQ(target->values[2].second, -1e-12);
}

TEST(Targets, NeedTheTimeAndStandardParameters) {
  const problems::Entry& entry = require_problem("transistor-amplifier");
  ASSERT_TRUE(entry.reference.has_value());
  ASSERT_FALSE(entry.parameters.empty());
  const ChosenParameters standard = choose_parameters(entry, {});
  EXPECT_TRUE(target_at(entry, standard, entry.reference->t).has_value());
  EXPECT_EQ(target_at(entry, standard, 0.5 * entry.reference->t).has_value(),
            static_cast<bool>(entry.exact));
  const Parameter& p = entry.parameters.front();
  const auto assign = [&](double value) {
    return choose_parameters(entry, {p.name + "=" + std::to_string(value)});
  };
  EXPECT_FALSE(assign(p.value + 1.0).standard);
  EXPECT_EQ(target_at(entry, assign(p.value + 1.0), entry.reference->t).has_value(),
            static_cast<bool>(entry.exact));
}

}  // namespace
}  // namespace daedalus::cli
