// SPDX-License-Identifier: BSD-3-Clause
// Ordinary notation is read as it is meant, and what is wrong is found where it stands.
#include <gtest/gtest.h>

#include "model_text/formulas.hpp"

namespace daedalus::model {
namespace {

struct Formulas : ::testing::Test {
  graph::Graph g;
  NamedScope scope{g};
  Expr x = scope.state("x"), y = scope.state("y"), z = scope.state("z");
  Expr velocity = scope.state("velocity"), flow = scope.state("pump.flow"),
       element = scope.state("u[3]");

  Expr read(const std::string& content) {
    const ReadFormula result = read_formula(content, scope);
    EXPECT_TRUE(result.value) << content << '\n' << text(result.wrong);
    return result.value.value_or(Expr(-1e300));
  }
  void expect_same(const std::string& content, const Expr& e) {
    EXPECT_TRUE(read(content).same(e)) << content << " is read as " << text(read(content));
  }
};

TEST_F(Formulas, BindAsInMathematics) {
  expect_same("x + y*z", x + y * z);
  expect_same("x - y - z", (x - y) - z);
  expect_same("x - (y - z)", x - (y - z));
  expect_same("x/y/z", (x / y) / z);
  expect_same("x*y^2", x * pow(y, 2.0));
  expect_same("-x^2", -pow(x, 2.0));
  expect_same("(-x)^2", pow(-x, 2.0));
  expect_same("x^-2", pow(x, -2.0));
  expect_same("x**y", pow(x, y));
  expect_same("2*-x", 2.0 * -x);
  expect_same("+x", x);
  expect_same("x < y and y < z or not x > z", ((x < y) && (y < z)) || !(x > z));
  expect_same("x + y < z - 1", (x + y) < (z - 1.0));
  expect_same("x != y", x != y);
  expect_same("!(x == y) && x <> z || y >= z", (!(x == y) && (x != z)) || (y >= z));
}

TEST_F(Formulas, ChoicesCallsAndNames) {
  expect_same("if x > 0 then y else z", select(x > 0.0, y, z));
  expect_same("if x > 0 then y elseif x < -1 then z else 0",
              select(x > 0.0, y, select(x < -1.0, z, 0.0)));
  expect_same("if x > 0 then y else if x < -1 then z else 0",
              select(x > 0.0, y, select(x < -1.0, z, 0.0)));
  expect_same("x > 0 ? y : x < -1 ? z : 0", select(x > 0.0, y, select(x < -1.0, z, 0.0)));
  expect_same("2*(if x > 0 then y else z)", 2.0 * select(x > 0.0, y, z));
  expect_same("sin(x)*atan2(y, z)", sin(x) * atan2(y, z));
  expect_same("noEvent(x < 0) + no_event(y < 0)", no_event(x < 0.0) + no_event(y < 0.0));
  expect_same("der(x*y)", der(x * y));
  expect_same("pre(x) + time", pre(x) + g.time());
  expect_same("assert(x > 0, sqrt(x), \"not \\\"positive\\\"\")",
              asserted(x > 0.0, sqrt(x), "not \"positive\""));
  expect_same("pump.flow + u[3] + u[1 + 2] + 'pump.flow'", flow + element + element + flow);
  expect_same("true*x + false", x);
  expect_same("1.5e-3*x + .5*y + 2.*z", 1.5e-3 * x + 0.5 * y + 2.0 * z);
  // What editors make of minus and the centred dot.
  expect_same("x \xE2\x88\x92 y\xC2\xB7z", x - y * z);
  expect_same("x\xE2\x88\x92y", x - y);
}

TEST_F(Formulas, ChainsAreReadInLoops) {
  std::string sum = "x", choices;
  for (int i = 0; i < 50000; ++i) sum += " + y*" + std::to_string(i);
  EXPECT_TRUE(read_formula(sum, scope).value);
  for (int i = 0; i < 5000; ++i) choices += "if x > " + std::to_string(i) + " then y else ";
  EXPECT_TRUE(read_formula(choices + "z", scope).value);
}

TEST_F(Formulas, NestingIsLimited) {
  for (const auto& [open, close] :
       {std::pair{"(", ")"}, std::pair{"sin(", ")"}, std::pair{"-", ""}, std::pair{"not ", ""},
        std::pair{"u[", "]"}, std::pair{"if x > 0 then (", ")"}}) {
    std::string deep, ends;
    for (int i = 0; i < 100000; ++i) deep += open, ends += close;
    const ReadFormula result = read_formula(deep + "x" + ends, scope);
    EXPECT_FALSE(result.value);
    ASSERT_EQ(result.wrong.size(), 1u);
    EXPECT_EQ(result.wrong[0].message, "the formula is nested too deeply");
  }
  std::string fine = std::string(100, '(') + "x" + std::string(100, ')');
  EXPECT_TRUE(read_formula(fine, scope).value);
}

struct Wrong {
  std::string content;
  int column, length;
  std::string message, hint;
};

TEST_F(Formulas, MistakesHaveTheirPlaceAndAHint) {
  const std::vector<Wrong> all{
      {"x + velosity", 5, 8, "there is no variable 'velosity'", "did you mean 'velocity'?"},
      {"2*x + 3y", 7, 2, "a number is followed by letters", "write 3*y"},
      {"x + ", 5, 1, "expected a value before the end of the formula", ""},
      {"(x + y", 7, 1, "expected ')' before the end of the formula",
       "')' closes the '(' in column 1"},
      {"x + y)", 6, 1, "there is no '(' for this ')'", ""},
      {"x y", 3, 1, "expected an operator before 'y'", "products need '*': write a*b, not a b"},
      {"sim(x)", 1, 3, "there is no function 'sim'", "did you mean 'sin'?"},
      {"atan2(x)", 1, 8, "atan2 takes 2 arguments, 1 is given", ""},
      {"sin(x, y)", 1, 9, "sin takes 1 argument, 2 are given", ""},
      {"x^y^z", 4, 1, "powers do not chain", "write a^(b^c) or (a^b)^c"},
      {"x < y < z", 7, 1, "comparisons do not chain", "write a < b and b < c"},
      {"x = y", 3, 1, "'=' makes an equation, but an expression is expected here",
       "'==' compares two values"},
      {"if x > 0 then y", 16, 1, "expected 'else' before the end of the formula", ""},
      {"1 + if x > 0 then y else z", 5, 2, "'if' inside a formula needs parentheses",
       "write (if c then a else b)"},
      {"x $ y", 3, 1, "'$' means nothing here", ""},
      {"x & y", 3, 1, "'&' means nothing here", "write 'and'"},
      {"1e999*x", 1, 5, "the number '1e999' is too large", ""},
      {"u[x]", 3, 1, "a subscript must be an integer that is known when the model is read", ""},
      {"x + \"y\"", 5, 3, "a string is no value", "names are written without double quotes"},
      {"x + 'y", 5, 2, "a quoted name is not closed", ""},
      {"x + ''", 5, 2, "a quoted name is empty", ""},
      {"x' + y", 1, 2, "a derivative is not written with a prime", "write der(x)"},
      {"x ? y", 6, 1, "expected ':' before the end of the formula", ""},
      {"", 1, 1, "a formula is expected here, the text is empty", ""},
      {"x; y", 2, 1, "';' does not belong to a formula", "write one equation per text"},
      {"sin(x y)", 7, 1, "expected ')' before 'y'",
       "')' closes the '(' in column 4, or '*' is missing"}};
  for (const Wrong& w : all) {
    const ReadFormula result = read_formula(w.content, scope);
    EXPECT_FALSE(result.value) << w.content;
    ASSERT_EQ(result.wrong.size(), 1u) << w.content << '\n' << text(result.wrong);
    EXPECT_EQ(result.wrong[0].column, w.column) << w.content;
    EXPECT_EQ(result.wrong[0].length, w.length) << w.content;
    EXPECT_EQ(result.wrong[0].message, w.message) << w.content;
    EXPECT_EQ(result.wrong[0].hint, w.hint) << w.content;
  }
}

TEST_F(Formulas, SeveralMistakesAtOnce) {
  const ReadFormula result = read_formula("a + b*sim(c) + x", scope);
  EXPECT_EQ(result.wrong.size(), 4u) << text(result.wrong);
}

TEST_F(Formulas, Equations) {
  const auto equation = [&](const std::string& content) {
    return read_formula(content, scope, Want::equation);
  };
  EXPECT_TRUE(equation("der(x) = y").value->same(der(x) == y));
  EXPECT_TRUE(equation("x == y").value->same(x == y));
  EXPECT_EQ(equation("x + y").wrong.at(0).message, "an equation needs '='");
  EXPECT_EQ(equation("x = y = z").wrong.at(0).message, "a second '=' in one equation");
  EXPECT_EQ(equation("x = y = z").wrong.at(0).column, 7);
}

}  // namespace
}  // namespace daedalus::model
