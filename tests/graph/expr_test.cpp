// SPDX-License-Identifier: BSD-3-Clause
// Building expressions: equal formulas are one node, numbers are folded, misuse is refused.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/graph.hpp>
#include <daedalus/types.hpp>

namespace daedalus::graph {
namespace {

struct Expressions : ::testing::Test {
  Graph g;
  Expr x = g.state("x"), y = g.state("y"), k = g.parameter("k");
};

TEST_F(Expressions, EqualFormulasAreOneNode) {
  const Expr a = sin(x * y) + k;
  const int size = g.size();
  EXPECT_TRUE((sin(x * y) + k).same(a));
  EXPECT_TRUE((k + sin(y * x)).same(a)) << "+ and * commute bit for bit";
  EXPECT_EQ(g.size(), size);
  EXPECT_FALSE((x - y).same(y - x));
  EXPECT_FALSE((x / y).same(y / x));
  EXPECT_FALSE(min(x, y).same(min(y, x))) << "they differ where one is not a number";
}

TEST_F(Expressions, NumbersAreFolded) {
  EXPECT_TRUE((Expr(2.0) * 3.0 + 1).is_number(7.0));
  EXPECT_TRUE((0.0 * x + 0.0).is_number(0.0));
  EXPECT_TRUE((1.0 * x + 0.0).same(x));
  EXPECT_TRUE((x - x).is_number(0.0));
  EXPECT_TRUE((-(-x)).same(x));
  EXPECT_TRUE(pow(x, 1.0).same(x));
  EXPECT_TRUE(select(Expr(1.0) > 2.0, x, y).same(y));
  EXPECT_TRUE((x > 0.0 && Expr(0.0)).is_number(0.0));
  EXPECT_TRUE(select(!(x > 0.0), x, y).same(select(x > 0.0, y, x)));
  EXPECT_FALSE((k * 1.0 + k * 0.0).is_number()) << "a parameter is an input";
}

TEST_F(Expressions, WhatIsNotFiniteStaysAFormula) {
  EXPECT_EQ(text(x + g.make(Op::log, 0.0)), "x + log(0)");
}

TEST_F(Expressions, SignsHaveOneForm) {
  EXPECT_TRUE((x + -(2.0 * y)).same(x - 2.0 * y));
  EXPECT_TRUE((x - -2.0 * y).same(x + 2.0 * y));
  EXPECT_TRUE((-(2.0 * x)).same(-2.0 * x));
  EXPECT_TRUE((-x * -y).same(x * y));
  EXPECT_TRUE((x / -y).same(-(x / y)));
  EXPECT_TRUE((x + -3.0).same(x - 3.0));
}

TEST_F(Expressions, TwoGraphsDoNotMix) {
  Graph other;
  const Expr z = other.state("z");
  EXPECT_THROW(x + z, InvalidArgument);
  EXPECT_THROW(g.node_of(z), InvalidArgument);
  EXPECT_THROW(g.select(x > 0.0, z, 0.0), InvalidArgument);
}

TEST_F(Expressions, InputsHaveNumbersAndNames) {
  EXPECT_EQ(g.number(y.node()), 1);
  EXPECT_TRUE(g.input(InputKind::state, 1).same(y));
  EXPECT_EQ(g.name(y.node()), "y");
  EXPECT_EQ(g.count(InputKind::state), 2);
  EXPECT_TRUE(pre(x).same(pre(x)));
  EXPECT_EQ(g.previous_of(g.number(pre(y).node())), y.node());
  EXPECT_THROW(pre(x + y), InvalidArgument);
  EXPECT_THROW(g.input(InputKind::state, -1), InvalidArgument);
}

TEST_F(Expressions, PositionsAreOfTheFirstWriter) {
  const int file = g.add_file("model.json");
  const Expr e = x * y;
  g.set_position(e, {file, 3, 7});
  g.set_position(y * x, {file, 9, 1});
  EXPECT_EQ(g.position(e.node()).line, 3);
  EXPECT_EQ(g.file(g.position(e.node()).file), "model.json");
  EXPECT_EQ(g.position(x.node()).file, -1);
}

TEST_F(Expressions, FunctionsByName) {
  const Expr one[] = {x}, two[] = {x, y};
  EXPECT_TRUE(function("sin", one).same(sin(x)));
  EXPECT_TRUE(function("atan2", two).same(atan2(x, y)));
  EXPECT_EQ(function_arity("hypot"), 2);
  EXPECT_EQ(function_arity("sine"), 0);
  EXPECT_THROW(function("sine", one), InvalidArgument);
  EXPECT_THROW(function("sin", two), InvalidArgument);
  for (const std::string_view name : function_names()) EXPECT_GT(function_arity(name), 0) << name;
  EXPECT_EQ(function_arity("+"), 0) << "signs are not functions";
}

TEST_F(Expressions, TotalDerivative) {
  const Expr dx = der(x), dy = der(y);
  EXPECT_EQ(g.kind(dx.node()), InputKind::derivative);
  EXPECT_TRUE(der(x * y).same(y * dx + x * dy));
  EXPECT_TRUE(der(k * g.time()).same(k));
  EXPECT_TRUE(der(k).is_number(0.0));
  EXPECT_TRUE(der(sin(x)).same(cos(x) * dx));
  EXPECT_THROW(der(dx), InvalidArgument) << "second derivatives are not inputs";
}

TEST_F(Expressions, RandomFormulasHashWithoutLoss) {
  // A long chain with many numbers: every node is found again.
  Expr sum = 0.0;
  for (int i = 0; i < 20000; ++i) sum = sum * 0.5 + (x + i) * (y - i);
  const int size = g.size();
  Expr again = 0.0;
  for (int i = 0; i < 20000; ++i) again = again * 0.5 + (x + i) * (y - i);
  EXPECT_TRUE(again.same(sum));
  EXPECT_EQ(g.size(), size);
}

}  // namespace
}  // namespace daedalus::graph
