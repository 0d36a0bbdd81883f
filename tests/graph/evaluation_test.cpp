// SPDX-License-Identifier: BSD-3-Clause
// Interpreter against the same computation in C++, over plain numbers, dual numbers and series.
#include <gtest/gtest.h>

#include <limits>

#include <daedalus/graph_table.hpp>
#include <daedalus/types.hpp>

#include "graph/interpreter.hpp"
#include "graph/lower.hpp"
#include "graph/random_formula.hpp"

namespace daedalus::graph {
namespace {

template <class S>
std::vector<S> evaluate(const Program& program, const std::vector<S>& x) {
  Workspace<S> workspace(program);
  Point<S> point;
  const S t = S(0.0);
  point[InputKind::time] = &t;
  point[InputKind::state] = x.data();
  std::vector<S> out(static_cast<std::size_t>(program.output_count()));
  EXPECT_EQ(workspace.run(program, point, out.data()), -1);
  return out;
}

TEST(Evaluation, RandomFormulasGiveTheBitsOfTheCallable) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const RandomFormula formula(seed, 4, 60);
    Graph g;
    const Program program(g, record(g, formula));
    for (unsigned k = 0; k < 5; ++k) {
      const auto x = random_point(100 * seed + k, 4);
      EXPECT_EQ(evaluate(program, x), formula(x)) << "seed " << seed;
    }
  }
}

// Three operations in one instruction: every pair of sums, differences and products with a third on
// its result, which is its first or its second operand. Rounding stays that of one after another.
TEST(Evaluation, ChainsOfThreeOperationsRoundAsOneAfterAnother) {
  const auto apply = [](int op, auto x, auto y) {
    return op == 0 ? x + y : op == 1 ? x - y : x * y;
  };
  const std::vector<double> x{0.1, 1.0 / 3.0, 1e8 + 0.7, -7.0 / 11.0};
  Graph g;
  std::vector<Expr> s;
  for (int k = 0; k < 4; ++k) s.push_back(g.state("x" + std::to_string(k)));
  for (int ops = 0; ops < 27; ++ops)
    for (int sides = 0; sides < 4; ++sides) {
      const auto chain = [&](const auto& v) {
        auto r = apply(ops % 3, v[0], v[1]);
        r = sides & 1 ? apply(ops / 3 % 3, v[2], r) : apply(ops / 3 % 3, r, v[2]);
        return sides & 2 ? apply(ops / 9, v[3], r) : apply(ops / 9, r, v[3]);
      };
      Outputs rows;
      rows.add(chain(s));
      const Program program(g, rows);
      EXPECT_LE(program.instructions().list.size(), 4u) << "one, and the ends of three stages";
      EXPECT_EQ(evaluate(program, x)[0], chain(x)) << ops << ' ' << sides;
    }
}

// A relation inside an assertion is part of the same instruction.
TEST(Evaluation, AssertedRelationsHoldOrName) {
  Graph g;
  const Expr a = g.state("a"), b = g.state("b");
  Outputs rows;
  rows.add(g.asserted(a < b, 2.0 * a, "less"));
  rows.add(g.asserted(a <= b, a, "less or equal"));
  rows.add(g.asserted(b > a, b, "greater"));
  rows.add(g.asserted(b >= a, 5.0, "greater or equal"));
  const Program program(g, rows);
  EXPECT_EQ(evaluate<double>(program, {1.0, 2.0}), (std::vector<double>{2.0, 1.0, 2.0, 5.0}));
  Workspace<double> workspace(program);
  const double t = 0.0;
  std::vector<double> out(4), wrong{2.0, 1.0}, equal{1.0, 1.0};
  Point<double> point;
  point[InputKind::time] = &t;
  point[InputKind::state] = wrong.data();
  EXPECT_EQ(program.message(workspace.run(program, point, out.data())), "less");
  point[InputKind::state] = equal.data();
  EXPECT_EQ(program.message(workspace.run(program, point, out.data())), "less");
  wrong = {std::numeric_limits<double>::quiet_NaN(), 1.0};
  point[InputKind::state] = wrong.data();
  EXPECT_GE(workspace.run(program, point, out.data()), 0) << "a NaN fulfils nothing";
}

TEST(Evaluation, DualNumbersAndSeries) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const RandomFormula formula(seed, 4, 40);
    Graph g;
    const Program program(g, record(g, formula));
    const auto at = random_point(seed, 4);
    std::vector<Dual4> x;
    std::vector<Taylor2> s;
    for (int k = 0; k < 4; ++k) {
      x.push_back(Dual4::variable(at[static_cast<std::size_t>(k)], k));
      Taylor2 c(at[static_cast<std::size_t>(k)]);
      c.c[1] = 0.3 * k - 0.4;
      c.c[2] = 0.1 * k;
      s.push_back(c);
    }
    const auto got = evaluate(program, x), expected = formula(x);
    const auto got_s = evaluate(program, s), expected_s = formula(s);
    for (std::size_t r = 0; r < got.size(); ++r) {
      EXPECT_EQ(got[r].v, expected[r].v);
      for (std::size_t k = 0; k < 4; ++k) EXPECT_LE(ulps(got[r].d[k], expected[r].d[k]), 8.0);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_LE(ulps(got_s[r].c[k], expected_s[r].c[k]), 8.0);
    }
  }
}

TEST(Evaluation, PowersWithFixedExponents) {
  Graph g;
  const Expr x = g.state("x");
  const std::vector<double> exponents{-3, -2.5, -1, -0.5, 0.5, 1.5, 2, 3, 5, 7, 8, 9, 0.3};
  Outputs rows;
  for (const double p : exponents) rows.add(pow(x, p));
  const Outputs lowered = lower(g, rows);
  const Program program(g, lowered);
  for (const double at : {0.3, 1.7, 12.0}) {
    const auto out = evaluate<double>(program, {at});
    for (std::size_t k = 0; k < exponents.size(); ++k) {
      const double exact = std::pow(at, exponents[k]);
      EXPECT_LE(std::fabs(out[k] - exact), 4e-16 * std::fabs(exact) * 4) << exponents[k];
    }
  }
  int powers = 0;
  for (const Instruction& i : program.instructions().list) powers += i.code == code_of(Op::power);
  EXPECT_EQ(powers, 2) << "9 and 0.3 alone are left to the library";
}

TEST(Evaluation, SelectComputesOnlyWhatItNeeds) {
  Graph g;
  const Expr x = g.state("x"), y = g.state("y");
  int left = 0, right = 0;
  const auto counted = [&](int& count, double value) {
    auto f = std::make_shared<External>();
    f->name = "counted";
    f->argument_count = 1;
    f->value = [&count, value](std::span<const double> v) {
      ++count;
      return value + v[0];
    };
    return f;
  };
  const Expr args[] = {y};
  const Expr a = g.external(counted(left, 100.0), args),
             b = g.external(counted(right, 200.0), args);
  Outputs rows;
  rows.add(select(x > 0.0, a, select(x > -1.0, b * 2.0, y)));
  const Program program(g, rows);
  EXPECT_EQ(evaluate<double>(program, {1.0, 5.0})[0], 105.0);
  EXPECT_EQ(left, 1);
  EXPECT_EQ(right, 0);
  EXPECT_EQ(evaluate<double>(program, {-0.5, 5.0})[0], 410.0);
  EXPECT_EQ(left, 1);
  EXPECT_EQ(right, 1);
  EXPECT_EQ(evaluate<double>(program, {-2.0, 5.0})[0], 5.0);
  EXPECT_EQ(left + right, 2);
}

TEST(Evaluation, BranchesShareWhatIsOutside) {
  // sin(y) is used in both branches of one select and in the other branch of another.
  Graph g;
  const Expr x = g.state("x"), y = g.state("y");
  const Expr s = sin(y), heavy = exp(y) * cos(y) * log(2.0 + y * y);
  Outputs rows;
  rows.add(select(x > 0.0, s * heavy + tan(s), s - heavy * exp(s)) +
           select(x > 1.0, s, atan(heavy)));
  rows.add(select(x > 0.0, exp(y) * tanh(y) * 3.0, sin(exp(-y)) + cbrt(y)));
  const Program program(g, rows);
  for (const double at : {-2.0, 0.5, 3.0})
    for (const double v : {-0.7, 0.0, 1.3}) {
      const double sv = std::sin(v), h = std::exp(v) * std::cos(v) * std::log(2.0 + v * v);
      const double first = at > 0.0 ? sv * h + std::tan(sv) : sv - h * std::exp(sv);
      const double second = at > 1.0 ? sv : std::atan(h);
      const auto out = evaluate<double>(program, {at, v});
      EXPECT_EQ(out[0], first + second);
      EXPECT_EQ(out[1], at > 0.0 ? std::exp(v) * std::tanh(v) * 3.0
                                 : std::sin(std::exp(-v)) + std::cbrt(v));
    }
}

// Every value of a branch is used three times by the next one: a walk over paths instead of nodes
// would take 3^60 steps.
TEST(Evaluation, BranchesOfSharedValuesAreWalkedOnce) {
  Graph g;
  const Expr x = g.state("x"), y = g.state("y");
  constexpr int depth = 60;
  const auto chain = [](auto v, double factor) {
    using std::sin;
    for (int k = 0; k < depth; ++k) v = factor * v * (v + sin(v)) / (1.0 + v * v);
    return v;
  };
  Outputs rows;
  rows.add(select(x > 0.0, chain(y, 0.9), select(x > -1.0, chain(y, 0.8), chain(y, 0.7))));
  const Program program(g, rows);
  EXPECT_TRUE(program.instructions().lazy);
  EXPECT_LT(program.instructions().list.size(), 3u * depth * 7u + 20u);
  EXPECT_EQ(evaluate<double>(program, {1.0, 0.3})[0], chain(0.3, 0.9));
  EXPECT_EQ(evaluate<double>(program, {-0.5, 0.3})[0], chain(0.3, 0.8));
  EXPECT_EQ(evaluate<double>(program, {-2.0, 0.3})[0], chain(0.3, 0.7));
}

TEST(Evaluation, SmallChoicesNeedNoJump) {
  Graph g;
  const Expr x = g.state("x");
  Outputs rows;
  rows.add(select(x > 0.0, 2.0 * x, x + 1.0));
  const Program program(g, rows);
  EXPECT_FALSE(program.instructions().lazy);
  EXPECT_EQ(evaluate<double>(program, {-3.0})[0], -2.0);
  EXPECT_EQ(evaluate<double>(program, {3.0})[0], 6.0);
}

TEST(Evaluation, AssertionsNameTheirMessage) {
  Graph g;
  const Expr x = g.state("x");
  Outputs rows;
  rows.add(asserted(x > 0.0, log(x), "x must be positive"));
  rows.add(select(x > -5.0, 1.0, asserted(x > -10.0, x, "x is far away")));
  const Program program(g, rows);
  Workspace<double> workspace(program);
  Point<double> point;
  double v = 2.0, out[2];
  point[InputKind::state] = &v;
  EXPECT_EQ(workspace.run(program, point, out), -1);
  EXPECT_EQ(out[0], std::log(2.0));
  v = -1.0;
  const int failed = workspace.run(program, point, out);
  ASSERT_GE(failed, 0);
  EXPECT_EQ(program.message(failed), "x must be positive");
}

TEST(Evaluation, InvariantPartsAreComputedOnce) {
  Graph g;
  const Expr x = g.state("x"), p = g.parameter("p"), t = g.time(), m = g.mode("m");
  int fixed = 0, timed = 0;
  const auto counted = [&](int& count) {
    auto f = std::make_shared<External>();
    f->name = "counted";
    f->argument_count = 1;
    f->value = [&count](std::span<const double> v) {
      ++count;
      return v[0];
    };
    return f;
  };
  const Expr of_p[] = {p * m}, of_t[] = {t + p};
  Outputs rows;
  rows.add(g.external(counted(fixed), of_p) * x + g.external(counted(timed), of_t));
  const Program program(g, rows);
  Workspace<double> workspace(program);
  double xv = 1.0, pv = 2.0, tv = 0.0, mv = 3.0, out = 0.0;
  Point<double> point;
  point[InputKind::state] = &xv;
  point[InputKind::parameter] = &pv;
  point[InputKind::time] = &tv;
  point.modes = &mv;
  const auto run = [&] {
    EXPECT_EQ(workspace.run(program, point, &out), -1);
    EXPECT_EQ(out, pv * mv * xv + (tv + pv));
  };
  run();
  xv = 5.0;
  run();
  EXPECT_EQ(fixed, 1);
  EXPECT_EQ(timed, 1);
  tv = 1.0;
  run();
  EXPECT_EQ(fixed, 1);
  EXPECT_EQ(timed, 2);
  mv = 4.0;
  run();
  EXPECT_EQ(fixed, 2);
  EXPECT_EQ(timed, 3) << "after a change of modes everything is computed again";
}

TEST(Evaluation, TablesOverAllNumbers) {
  Graph g;
  const Expr x = g.state("x"), y = g.state("y");
  const std::vector<double> grid{0, 1, 2, 4}, values{0, 1, 0.5, 3};
  const auto smooth = std::make_shared<Table>("smooth", grid, values, Table::Interpolation::akima);
  const auto plane =
      std::make_shared<Table>("plane", std::vector<double>{0, 1}, std::vector<double>{0, 2},
                              std::vector<double>{0, 2, 1, 5});
  Outputs rows;
  rows.add(g.table(smooth, x * x));
  rows.add(g.table(plane, x, y));
  const Program program(g, rows);
  const double h = 1e-6, at = 1.3, v = 0.4;
  const auto out = evaluate<Dual4>(program, {Dual4::variable(at, 0), Dual4::variable(v, 1)});
  const auto up = evaluate<double>(program, {at + h, v}),
             down = evaluate<double>(program, {at - h, v});
  EXPECT_NEAR(out[0].d[0], (up[0] - down[0]) / (2 * h), 1e-8);
  EXPECT_NEAR(out[1].d[0], (up[1] - down[1]) / (2 * h), 1e-8);
  const auto series = evaluate<Taylor2>(program, {[&] {
                                                    Taylor2 c(at);
                                                    c.c[1] = 1.0;
                                                    return c;
                                                  }(),
                                                  Taylor2(v)});
  EXPECT_NEAR(series[0].c[1], out[0].d[0], 1e-14);
  const double hh = 1e-4;
  const auto far = evaluate<double>(program, {at + hh, v}),
             near = evaluate<double>(program, {at, v}),
             left = evaluate<double>(program, {at - hh, v});
  EXPECT_NEAR(2 * series[0].c[2], (far[0] - 2 * near[0] + left[0]) / (hh * hh), 1e-6);
}

}  // namespace
}  // namespace daedalus::graph
