// SPDX-License-Identifier: BSD-3-Clause
// Structure per mode, relations that change together, analyses and threads on one compiled model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include <daedalus/analysis.hpp>
#include <daedalus/model.hpp>
#include <daedalus/solve.hpp>

#include "model/models.hpp"

namespace daedalus {
namespace {

using ::testing::HasSubstr;

// A clutch: two speeds are equal while it is closed, its torque is zero while it is open.
TEST(ModelModes, IndexIsToldPerMode) {
  ModelBuilder m("clutch");
  const Expr a = m.variable("a", {.start = 1.0}), b = m.variable("b"),
             torque = m.variable("torque");
  m.equation(der(a), -torque);
  m.equation(der(b), torque);
  const std::vector<ModelBuilder::Row> closed{{a, b}}, open{{torque, 0.0}};
  m.if_equations(m.time() > 1.0, closed, open);
  const auto model = m.model();
  const std::string text = model->structure().text;
  EXPECT_THAT(text, HasSubstr("Where 'time > 1' the index is 2."));
  EXPECT_EQ(model->structure().index, 2) << "the highest one: " << text;
  ASSERT_FALSE(model->structure().hidden.empty());
  EXPECT_EQ(model->structure().hidden.front().mode, "'time > 1'");
  const std::vector<ModelBuilder::Row> none;
  m.if_equations(m.time() > 2.0, closed, none);
  EXPECT_THAT(m.check().front().message, HasSubstr("have 1 and 0 equations"));
}

TEST(ModelModes, RelationsThatChangeTogether) {
  ModelBuilder m("pair");
  const Expr x = m.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = m.variable("y", {.start = 2.0, .fixed = true});
  const Expr count = m.discrete("count");
  m.equation(der(x), -1.0);
  m.equation(der(y), -2.0);  // both reach zero at t = 1
  m.when(x < 0.0 && y < 0.0).set(count, pre(count) + 1.0);
  const auto model = m.model();
  Options o;
  model->apply(o);
  double last = -1.0;
  std::vector<double> out(1);
  o.sink = [&](const StateView& s) {
    model->evaluate_outputs({}, s, Out(out.data(), 1));
    last = out[0];
  };
  const Solution s = solve(model->problem(), {0.0, 2.0}, o);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(last, 1.0) << "once, however the two are ordered";
}

TEST(ModelModes, NumericalIndexAgrees) {
  const auto model = testing_models::pendulum().model();
  const IndexAnalysis found = index_analysis(model->problem(), 0.0);
  EXPECT_EQ(found.index, 3) << found.text();
  EXPECT_EQ(found.degrees_of_freedom, 2);
}

TEST(ModelModes, OneModelInManyThreads) {
  const auto model = testing_models::bouncing_ball().model();
  std::vector<double> ends(4), alone(4);
  const auto run = [&](int k) {
    const Values values{{"h0", 1.0 + k}};
    Options o;
    model->apply(o, values);
    return solve(model->problem(values), {0.0, 2.0}, o).end()["h"];
  };
  for (int k = 0; k < 4; ++k) alone[static_cast<std::size_t>(k)] = run(k);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] { ends[static_cast<std::size_t>(k)] = run(k); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(ends, alone);
}

TEST(ModelModes, RequirementsRejectAndAreNamed) {
  ModelBuilder m("root");
  const Expr x = m.variable("x", {.start = 1.0, .fixed = true});
  m.equation(der(x), -1.0);
  m.require(x > 0.5, "x must stay above one half");
  const auto model = m.model();
  EXPECT_TRUE(model->events().empty()) << "a requirement is no event";
  const Solution s = solve(model->problem(), {0.0, 2.0});
  EXPECT_EQ(s.status(), Status::left_domain) << s.message();
  EXPECT_THAT(s.message(), HasSubstr("x must stay above one half"));
}

// The condition of assert() in an equation is none either, and does not hinder the start of a model
// with events, whose modes are found by evaluations.
TEST(ModelModes, AssertionsRejectWhereEventsAre) {
  ModelBuilder m("root");
  const Expr x = m.variable("x", {.start = 1.0, .fixed = true});
  const Expr y = m.variable("y");
  const Expr count = m.discrete("count");
  m.equation(der(x), -1.0);
  m.equation(y, asserted(x > 0.5, log(2.0 * x), "x must stay above one half"));
  m.when(x < 0.75).set(count, pre(count) + 1.0);
  const auto model = m.model();
  EXPECT_EQ(model->events().size(), 1u);
  Options o;
  model->apply(o);
  const Solution early = solve(model->problem(), {0.0, 0.45}, o);
  ASSERT_TRUE(early.ok()) << early.message();
  EXPECT_NEAR(early.end().y()[1], std::log(1.1), 1e-3);
  const Solution s = solve(model->problem(), {0.0, 2.0}, o);
  EXPECT_EQ(s.status(), Status::left_domain) << s.message();
  EXPECT_THAT(s.message(), HasSubstr("x must stay above one half"));
}

}  // namespace
}  // namespace daedalus
