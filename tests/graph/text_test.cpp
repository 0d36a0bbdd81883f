// SPDX-License-Identifier: BSD-3-Clause
// Formulas as text with as few parentheses as reading back needs, and as LaTeX.
#include <gtest/gtest.h>

#include <daedalus/graph.hpp>
#include <daedalus/graph_table.hpp>

namespace daedalus::graph {
namespace {

struct Texts : ::testing::Test {
  Graph g;
  Expr x = g.state("x"), y = g.state("y"), z = g.state("z"), t = g.time();
};

TEST_F(Texts, ParenthesesOnlyWhereNeeded) {
  EXPECT_EQ(text(x + y + z), "x + y + z");
  EXPECT_EQ(text(x + (y + z)), "x + (y + z)") << "rounded in another order";
  EXPECT_EQ(text(x - (y - z)), "x - (y - z)");
  EXPECT_EQ(text(x - y - z), "x - y - z");
  EXPECT_EQ(text((x + y) * z), "(x + y)*z");
  EXPECT_EQ(text(x * y / z), "x*y/z");
  EXPECT_EQ(text(x / (y * z)), "x/(y*z)");
  EXPECT_EQ(text(x * (y / z)), "x*(y/z)");
  EXPECT_EQ(text(pow(x, 2)), "x^2");
  EXPECT_EQ(text(pow(x, -2)), "x^(-2)");
  EXPECT_EQ(text(pow(pow(x, y), z)), "(x^y)^z");
  EXPECT_EQ(text(pow(x, pow(y, z))), "x^(y^z)");
  EXPECT_EQ(text(pow(x + y, 2)), "(x + y)^2");
  EXPECT_EQ(text(sin(x + y)), "sin(x + y)");
  EXPECT_EQ(text(atan2(x, y)), "atan2(x, y)");
}

TEST_F(Texts, Signs) {
  EXPECT_EQ(text(-x), "-x");
  EXPECT_EQ(text(-(x * y)), "-x*y");
  EXPECT_EQ(text(-x * y), "-x*y");
  EXPECT_EQ(text(-pow(x, 2)), "-x^2");
  EXPECT_EQ(text(pow(-x, 2)), "(-x)^2");
  EXPECT_EQ(text(-(x + y)), "-(x + y)");
  EXPECT_EQ(text(-2.0 * x), "-2*x");
  EXPECT_EQ(text(-2.0 * x * y), "(-2*x)*y") << "-2*x*y is -(2*x*y)";
  EXPECT_EQ(text(x - 2.0 * y), "x - 2*y");
  EXPECT_EQ(text(x + 2.0 * -y), "x - 2*y");
  EXPECT_EQ(text(x / -2.0), "x/(-2)");
  EXPECT_EQ(text(exp(-x)), "exp(-x)");
}

TEST_F(Texts, ConditionsAndChoices) {
  EXPECT_EQ(text(select(x > 0.0, y, z)), "if x > 0 then y else z");
  EXPECT_EQ(text(select(x > 0.0, y, select(x < -1.0, z, 0.0))),
            "if x > 0 then y else if x < -1 then z else 0");
  EXPECT_EQ(text(2.0 * select(x > 0.0, y, z)), "2*(if x > 0 then y else z)");
  EXPECT_EQ(text((x < y || y < z) && !(x < z)), "(x < y or y < z) and not x < z");
  EXPECT_EQ(text(!(x < y && y < z)), "not (x < y and y < z)");
  EXPECT_EQ(text(x != y), "x <> y");
  EXPECT_EQ(text(x + y == z), "x + y == z");
  EXPECT_EQ(text(no_event(x < 0.0)), "no_event(x < 0)");
  EXPECT_EQ(text(asserted(x > 0.0, log(x), "x \"must\" be positive")),
            "assert(x > 0, log(x), \"x \\\"must\\\" be positive\")");
}

TEST_F(Texts, InputsAndNumbers) {
  EXPECT_EQ(text(der(x) + pre(y)), "der(x) + pre(y)");
  EXPECT_EQ(text(pre(der(x))), "pre(der(x))");
  EXPECT_EQ(text(t), "time");
  EXPECT_EQ(text(g.input(InputKind::position, 4)), "position[4]");
  EXPECT_EQ(text(0.1 * x), "0.1*x");
  EXPECT_EQ(text(1e-30 * x), "1e-30*x");
  EXPECT_EQ(text(Expr(1.0) / 3.0), "0.3333333333333333");
  const auto table =
      std::make_shared<Table>("force", std::vector<double>{0, 1}, std::vector<double>{0, 2});
  EXPECT_EQ(text(g.table(table, x + y)), "force(x + y)");
}

TEST_F(Texts, DeepAndSharedFormulasEnd) {
  Expr sum = x;
  for (int i = 0; i < 200000; ++i) sum = sin(sum);
  EXPECT_LE(text(sum).size(), 100003u);
  Expr product = x + y;
  for (int i = 0; i < 100; ++i) product = product * product;  // 2^100 factors when written out
  const std::string some = text(product, 50);
  EXPECT_EQ(some.size(), 53u);
  EXPECT_EQ(some.substr(50), "...");
}

TEST_F(Texts, Latex) {
  const Expr omega = g.parameter("omega_0"), x1 = g.state("x1"), mass = g.parameter("mass");
  EXPECT_EQ(latex(x / (y + z)), "\\frac{x}{y + z}");
  EXPECT_EQ(latex(sqrt(x) * sin(omega * t)), "\\sqrt{x} \\, \\sin\\left(\\omega_{0} \\, t\\right)");
  EXPECT_EQ(latex(der(x1)), "\\dot{x_{1}}");
  EXPECT_EQ(latex(pow(x + y, 2)), "\\left(x + y\\right)^{2}");
  EXPECT_EQ(latex(pow(x / y, 2)), "\\left(\\frac{x}{y}\\right)^{2}");
  EXPECT_EQ(latex(mass * 1e-9), "10^{-9} \\, \\mathrm{mass}");
  EXPECT_EQ(latex(select(x >= 0.0, x, -x)),
            "\\begin{cases}x & \\text{if } x \\ge 0 \\\\ -x & \\text{otherwise}\\end{cases}");
  EXPECT_EQ(latex(atan2(y, x)), "\\operatorname{atan2}\\left(y, x\\right)");
  EXPECT_EQ(latex(x == y), "x = y");
}

}  // namespace
}  // namespace daedalus::graph
