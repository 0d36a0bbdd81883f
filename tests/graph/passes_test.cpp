// SPDX-License-Identifier: BSD-3-Clause
// Relations become modes, aliases go, maps are checked and written out.
#include <gtest/gtest.h>

#include <daedalus/types.hpp>

#include "graph/aliases.hpp"
#include "graph/gradient.hpp"
#include "graph/interpreter.hpp"
#include "graph/lower.hpp"
#include "graph/random_formula.hpp"
#include "graph/relations.hpp"
#include "graph/unroll.hpp"

namespace daedalus::graph {
namespace {

struct Passes : ::testing::Test {
  Graph g;
  Expr x = g.state("x"), y = g.state("y"), z = g.state("z"), p = g.parameter("p"), t = g.time();
};

TEST_F(Passes, RelationsBecomeModes) {
  RelationTable table(g, 2);
  Outputs rows;
  rows.add(select(x > y, x, y) + select(x > y, 1.0, 2.0));
  rows.add(no_event(select(x > y, x, y)));
  rows.add(select(p > 3.0, x, y));
  rows.add(select(t >= 5.0 * p, 1.0, 0.0));
  const Outputs out = table.extract(rows);
  const auto& all = table.relations().all;
  ASSERT_EQ(all.size(), 2u) << "the same relation twice is one; parameters make no events";
  EXPECT_EQ(text(out.single[0].value), "(if x > y then x else y) + (if x > y then 1 else 2)")
      << "modes bear the text of their relation";
  EXPECT_EQ(all[0].mode, 2);
  EXPECT_EQ(all[0].op, Op::greater);
  EXPECT_EQ(all[0].text, "x > y");
  EXPECT_FALSE(all[0].time_only);
  EXPECT_TRUE(all[1].time_only);
  EXPECT_EQ(text(table.relations().crossings.single[0].value), "x - y");
  EXPECT_TRUE(out.single[1].value.same(rows.single[1].value)) << "no_event stays";
  EXPECT_TRUE(out.single[2].value.same(rows.single[2].value));
  // The mode decides, not the values.
  const Program program(g, lower(g, out));
  Workspace<double> workspace(program);
  const double state[] = {1.0, 7.0, 0.0}, parameter = 0.0, time = 0.0;
  double modes[] = {0, 0, 1, 0}, values[4];
  Point<double> point;
  point[InputKind::state] = state;
  point[InputKind::parameter] = &parameter;
  point[InputKind::time] = &time;
  point.modes = modes;
  ASSERT_EQ(workspace.run(program, point, values), -1);
  EXPECT_EQ(values[0], 2.0);
  EXPECT_EQ(values[1], 7.0);
  modes[2] = 0.0;
  ASSERT_EQ(workspace.run(program, point, values), -1);
  EXPECT_EQ(values[0], 9.0);
  // A later call knows them again.
  EXPECT_TRUE(table.extract(x > y).same(g.input(InputKind::mode, 2)));
  EXPECT_EQ(table.relations().all.size(), 2u);
}

TEST_F(Passes, RelationsOfMapsHaveAModePerInstance) {
  auto kernel = std::make_shared<Kernel>();
  const Expr a = kernel->argument(0, "u"), b = kernel->argument(1, "limit");
  kernel->add_result(select(a > b, b, a));
  Map map;
  map.kernel = kernel;
  map.count = 3;
  map.arguments = {MapArgument::of_input(InputKind::state, {0, 1, 2}),
                   MapArgument::of_values({1.0, 2.0, 3.0})};
  map.rows = {{0, 1, 2}};
  Outputs rows;
  rows.count = 3;
  rows.maps.push_back(map);
  RelationTable table(g, 0);
  const Outputs out = table.extract(rows);
  ASSERT_EQ(table.relations().all.size(), 3u);
  EXPECT_EQ(table.relations().all[1].text, "u > limit [1]");
  const Program crossings(g, table.relations().crossings), values(g, lower(g, out));
  const double state[] = {5.0, 5.0, 5.0}, modes[] = {1.0, 0.0, 1.0};
  Point<double> point;
  point[InputKind::state] = state;
  point.modes = modes;
  double c[3], v[3];
  Workspace<double> first(crossings), second(values);
  ASSERT_EQ(first.run(crossings, point, c), -1);
  EXPECT_EQ((std::vector<double>(c, c + 3)), (std::vector<double>{4.0, 3.0, 2.0}));
  ASSERT_EQ(second.run(values, point, v), -1);
  EXPECT_EQ((std::vector<double>(v, v + 3)), (std::vector<double>{1.0, 5.0, 3.0}));
}

// A domain is checked at every point: a mode held during a step would answer for another one.
TEST_F(Passes, ConditionsOfAssertionsAreNoRelations) {
  RelationTable table(g, 0);
  Outputs rows;
  rows.add(asserted(x < 2.0, select(y > 0.0, x, 0.0), "x is large"));
  rows.add(select(x < 2.0, y, 1.0));  // the same comparison where it is a relation
  auto kernel = std::make_shared<Kernel>();
  const Expr a = kernel->argument(0);
  kernel->add_result(asserted(a > 0.0, log(a), "a is negative"));
  Map map;
  map.kernel = kernel;
  map.count = 2;
  map.arguments = {MapArgument::of_input(InputKind::state, {0, 1})};
  map.rows = {{2, 3}};
  rows.maps.push_back(map);
  rows.count = 4;
  const Outputs out = table.extract(rows);
  ASSERT_EQ(table.relations().all.size(), 2u);
  EXPECT_EQ(table.relations().all[0].text, "y > 0");
  EXPECT_EQ(table.relations().all[1].text, "x < 2");
  EXPECT_EQ(out.maps[0].arguments.size(), 1u) << "no mode per instance";
  const Program program(g, lower(g, out));
  Workspace<double> workspace(program);
  double state[] = {1.0, 7.0}, modes[] = {1.0, 1.0}, values[4];
  Point<double> point;
  point[InputKind::state] = state;
  point.modes = modes;
  ASSERT_EQ(workspace.run(program, point, values), -1);
  EXPECT_EQ(values[0], 1.0);
  state[0] = 3.0;
  const int failed = workspace.run(program, point, values);
  ASSERT_GE(failed, 0) << "whatever the modes are";
  EXPECT_EQ(program.message(failed), "x is large");
}

TEST_F(Passes, AliasesGo) {
  const Expr u = g.state("u"), v = g.state("v"), w = g.state("w");
  der(x);  // x has a derivative and stays
  Outputs rows;
  rows.add(x - y);    // y is x
  rows.add(y + z);    // z is -x
  rows.add(u - 3.0);  // u is a number
  rows.add(z + x);    // said before: stays as 0 = 0
  rows.add(sin(z) * u + v - w * 2.0);
  rows.add(-v);  // v is 0
  const InputKind kinds[] = {InputKind::state};
  const auto aliases = find_aliases(g, rows, kinds, [](int) { return false; });
  ASSERT_EQ(aliases.size(), 4u);
  EXPECT_TRUE(aliases[0].by.same(x));
  EXPECT_TRUE(aliases[1].by.same(-x));
  EXPECT_TRUE(aliases[2].by.is_number(3.0));
  EXPECT_EQ(aliases[3].variable, v.node());
  const Outputs left = substitute(g, rows, aliases);
  ASSERT_EQ(left.single.size(), 2u);
  EXPECT_TRUE(left.single[0].value.is_number(0.0));
  EXPECT_EQ(text(left.single[1].value), "3*sin(-x) - 2*w");
}

TEST_F(Passes, AVariableToKeepStays) {
  Outputs rows;
  rows.add(x - y);
  const InputKind kinds[] = {InputKind::state};
  const auto one = find_aliases(g, rows, kinds, [&](int node) { return node == x.node(); });
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].variable, y.node());
  EXPECT_TRUE(find_aliases(g, rows, kinds, [](int) { return true; }).empty());
}

TEST_F(Passes, WrongMapsAreRefused) {
  auto kernel = std::make_shared<Kernel>();
  kernel->add_result(kernel->argument(0) * 2.0);
  Map map;
  map.kernel = kernel;
  map.count = 2;
  map.arguments = {MapArgument::of_input(InputKind::state, {0, 1})};
  map.rows = {{0, 1}};
  const auto with = [&](auto change) {
    Outputs rows;
    rows.count = 2;
    rows.maps.push_back(map);
    change(rows);
    rows.check(g);
  };
  EXPECT_NO_THROW(with([](Outputs&) {}));
  EXPECT_THROW(with([](Outputs& o) { o.maps[0].rows[0][1] = 0; }), InvalidArgument);
  EXPECT_THROW(with([](Outputs& o) { o.maps[0].rows[0][1] = 2; }), InvalidArgument);
  EXPECT_THROW(with([](Outputs& o) { o.maps[0].arguments[0].index.pop_back(); }), InvalidArgument);
  EXPECT_THROW(with([](Outputs& o) { o.maps[0].arguments.clear(); }), InvalidArgument);
  EXPECT_THROW(with([&](Outputs& o) { o.single.push_back({0, x}); }), InvalidArgument);
  EXPECT_NO_THROW(with([&](Outputs& o) {
    o.maps[0].accumulate = true;
    o.single.push_back({0, x});
  }));
}

TEST_F(Passes, MapsWrittenOutGiveTheSame) {
  auto kernel = std::make_shared<Kernel>();
  const Expr a = kernel->argument(0), b = kernel->argument(1), c = kernel->argument(2);
  kernel->add_result(a * b + c);
  kernel->add_result(sin(a) - c);
  Map map;
  map.kernel = kernel;
  map.count = 3;
  map.arguments = {MapArgument::of_input(InputKind::state, {2, 0, 1}),
                   MapArgument::of_values({0.5, 1.5, 2.5}), MapArgument::of_scalar(x * p)};
  map.rows = {{0, 0, 1}, {1, 2, 2}};
  map.accumulate = true;
  Outputs rows;
  rows.count = 4;
  rows.maps.push_back(map);
  rows.single.push_back({2, y});
  rows.check(g);
  const Program rolled(g, rows), flat(g, unroll(g, rows));
  const auto state = random_point(1, 3);
  const double parameter = 0.7;
  Point<double> point;
  point[InputKind::state] = state.data();
  point[InputKind::parameter] = &parameter;
  double r[4], f[4];
  Workspace<double> first(rolled), second(flat);
  ASSERT_EQ(first.run(rolled, point, r), -1);
  ASSERT_EQ(second.run(flat, point, f), -1);
  for (int i = 0; i < 4; ++i) EXPECT_LE(ulps(r[i], f[i]), 2.0) << i;
  EXPECT_EQ(r[3], 0.0);
}

TEST_F(Passes, WeightedGradient) {
  const Expr f[] = {x * x * sin(y), y / x}, w[] = {2.0, z}, in[] = {x, y, p};
  const auto grad = weighted_gradient(g, f, w, in);
  const Expr expected = der(2.0 * f[0]);  // coefficient of der(x) is the part of the first
  EXPECT_FALSE(expected.is_number());
  EXPECT_TRUE(grad[2].is_number(0.0));
  Outputs rows;
  rows.add(grad[0]);
  rows.add(grad[1]);
  const Program program(g, rows);
  Workspace<double> workspace(program);
  const double state[] = {0.4, 1.1, 3.0};
  Point<double> point;
  point[InputKind::state] = state;
  double out[2];
  ASSERT_EQ(workspace.run(program, point, out), -1);
  EXPECT_NEAR(out[0], 4.0 * 0.4 * std::sin(1.1) - 3.0 * 1.1 / 0.16, 1e-13);
  EXPECT_NEAR(out[1], 2.0 * 0.16 * std::cos(1.1) + 3.0 / 0.4, 1e-13);
}

}  // namespace
}  // namespace daedalus::graph
