// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a model is named with its place; equal variables go and stay visible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedalus/model.hpp>
#include <daedalus/solve.hpp>

namespace daedalus {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Diagnostic> errors_of(const ModelBuilder& m) {
  try {
    m.model();
  } catch (const ModelError& e) {
    return e.diagnostics;
  }
  return {};
}

std::string all_messages(const std::vector<Diagnostic>& list) {
  std::string text;
  for (const Diagnostic& d : list) text += d.message + "\n";
  return text;
}

TEST(ModelStructureCheck, OverAndUnderDeterminedPartsAreNamed) {
  ModelBuilder m("wrong");
  const int file = m.graph().add_file("wrong.json");
  const Expr x = m.variable("x"), y = m.variable("y"), z = m.variable("z"), w = m.variable("w");
  m.equation(der(x), y, {.position = {file, 3, 5}});
  m.equation(x + 2.0 * y, 1.0, {.position = {file, 4, 5}});
  m.equation(x * y, 3.0, {.position = {file, 5, 5}});
  m.equation(z + sin(w), 0.0, {.position = {file, 6, 5}});
  const std::vector<Diagnostic> found = errors_of(m);
  ASSERT_EQ(found.size(), 2u) << all_messages(found);
  EXPECT_THAT(found[0].message, HasSubstr("Over-determined: the 3 equations"));
  EXPECT_THAT(found[0].message, HasSubstr("\"x*y = 3\""));
  EXPECT_THAT(found[0].names, ElementsAre("x", "y"));
  ASSERT_EQ(found[0].places.size(), 3u);
  EXPECT_EQ(found[0].places[2].file, "wrong.json");
  EXPECT_EQ(found[0].places[2].line, 5);
  EXPECT_EQ(found[0].places[2].column, 5);
  EXPECT_THAT(found[1].message, HasSubstr("Under-determined: the 2 variables 'z', 'w'"));
  EXPECT_THAT(found[1].message, HasSubstr("1 more equations"));
  EXPECT_EQ(found[1].places[0].line, 6);
  // The same as diagnostics, without an exception.
  EXPECT_EQ(m.check().size(), 2u);
}

TEST(ModelStructureCheck, NumbersOfEquationsAndVariables) {
  ModelBuilder m("few");
  const Expr x = m.variable("x");
  m.variable("never");
  m.equation(der(x), -x);
  const std::vector<Diagnostic> found = errors_of(m);
  EXPECT_THAT(all_messages(found), HasSubstr("1 equations for 2 variables"));
  EXPECT_THAT(all_messages(found), HasSubstr("'never' occurs in no equation"));
}

TEST(ModelStructureCheck, MistakesOfBuilding) {
  ModelBuilder m("mistakes");
  const Expr x = m.variable("x", {.start = 1.0});
  m.variable("x");
  m.parameter("p", 5.0, {.max = 1.0});
  const Expr d = m.discrete("d");
  m.when(x < 0.0).reinit(d, 1.0).set(x, 2.0);
  m.when(der(x) < 0.0).stop();
  m.equation(der(x), -x);
  const std::string text = all_messages(errors_of(m));
  EXPECT_THAT(text, HasSubstr("The name 'x' is used twice."));
  EXPECT_THAT(text, HasSubstr("Parameter 'p' is 5, allowed: from -inf to 1."));
  EXPECT_THAT(text, HasSubstr("reinit(d, ...): only variables"));
  EXPECT_THAT(text, HasSubstr("set(x, ...): only discrete variables"));
}

TEST(ModelStructureCheck, RelationsWithDerivativesAndStartsOfVariables) {
  ModelBuilder m("more");
  const Expr x = m.variable("x", {.start = 1.0});
  const Expr y = m.variable("y", {.start = 2.0 * x});
  m.equation(der(x), -x);
  m.equation(y, select(der(x) > -0.5, 1.0, 2.0));
  const std::string text = all_messages(errors_of(m));
  EXPECT_THAT(text, HasSubstr("'der(x) > -0.5' contains a derivative"));
  EXPECT_THAT(text, HasSubstr("The start value of 'y' depends on variables"));
}

TEST(ModelStructureCheck, AliasesGoAndStayVisible) {
  ModelBuilder m("aliases");
  const Expr x = m.variable("x", {.start = 2.0, .fixed = true}), y = m.variable("y");
  const Expr z = m.variable("z", {.unit = "m"}), five = m.variable("five");
  m.equation(der(x), -y);
  m.equation(y, z);
  m.equation(z, -(-x));
  m.equation(five, 5.0);
  m.output("sum", x + y + five);
  const auto model = m.model();
  const auto problem = std::get<MassMatrixProblem>(model->problem());
  EXPECT_THAT(problem.variables, ElementsAre("x"));
  EXPECT_EQ(model->structure().aliases.size(), 3u);
  std::vector<std::string> names;
  for (const ModelOutput& o : model->outputs()) names.push_back(o.name);
  EXPECT_THAT(names, ElementsAre("sum", "y", "z", "five"));
  EXPECT_TRUE(model->outputs()[1].eliminated);
  EXPECT_EQ(model->outputs()[2].unit, "m");
  const Solution s = solve(problem, {0.0, 1.0});
  ASSERT_TRUE(s.ok()) << s.message();
  Eigen::VectorXd values(4);
  const ModelState end = s.end();
  model->evaluate_outputs({}, end, Out(values.data(), 4));
  EXPECT_EQ(values[1], end["x"]);
  EXPECT_EQ(values[3], 5.0);
  EXPECT_EQ(values[0], 2.0 * end["x"] + 5.0);
  // Asked for, nothing goes.
  const auto whole = m.model({.eliminate_aliases = false});
  EXPECT_EQ(std::get<SemiExplicitProblem>(whole->problem()).z0.size(), 3);
}

TEST(ModelStructureCheck, EntryLooksLikeOneOfTheCatalogue) {
  ModelBuilder m("decay");
  m.set_title("Decay");
  m.set_interval({1.0, 3.0});
  const Expr k = m.parameter("k", 2.0, {.unit = "1/s"});
  const Expr x = m.variable("x", {.start = 1.0, .fixed = true, .nominal = 1e3});
  m.equation(der(x), -k * x);
  const Entry e = m.model()->entry();
  EXPECT_EQ(e.title, "Decay");
  EXPECT_EQ(e.form, "mass-matrix");
  EXPECT_EQ(e.t0, 1.0);
  EXPECT_EQ(e.t_end, 3.0);
  EXPECT_EQ(e.units.at("k"), "1/s");
  EXPECT_EQ(e.atol_scale.at("x"), 1e3);
  EXPECT_EQ(e.equations, "der(x) = -k*x");
  const Solution s = solve(e.problem({{"k", 1.0}}), {1.0, 3.0});
  EXPECT_NEAR(s.end()["x"], std::exp(-2.0), 1e-5);
  EXPECT_THROW(e.problem({{"q", 1.0}}), InvalidArgument);
}

}  // namespace
}  // namespace daedalus
