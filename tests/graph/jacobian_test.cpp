// SPDX-License-Identifier: BSD-3-Clause
// Symbolic Jacobians against dual numbers; patterns over all branches.
#include <gtest/gtest.h>

#include <daedalus/types.hpp>

#include "graph/incidence.hpp"
#include "graph/interpreter.hpp"
#include "graph/jacobian.hpp"
#include "graph/lower.hpp"
#include "graph/random_formula.hpp"

namespace daedalus::graph {
namespace {

std::vector<double> values(const Program& program, const std::vector<double>& x) {
  Workspace<double> workspace(program);
  Point<double> point;
  point[InputKind::state] = x.data();
  std::vector<double> out(static_cast<std::size_t>(program.output_count()));
  EXPECT_EQ(workspace.run(program, point, out.data()), -1);
  return out;
}

std::vector<double> dense(const Jacobian& j, const std::vector<double>& entries) {
  std::vector<double> full(static_cast<std::size_t>(j.rows * j.columns), 0.0);
  for (int c = 0; c < j.columns; ++c)
    for (int k = j.outer[static_cast<std::size_t>(c)]; k < j.outer[static_cast<std::size_t>(c) + 1];
         ++k)
      full[static_cast<std::size_t>(j.inner[static_cast<std::size_t>(k)] * j.columns + c)] =
          entries[static_cast<std::size_t>(k)];
  return full;
}

class EveryOrder : public ::testing::TestWithParam<Elimination> {};

TEST_P(EveryOrder, RandomFormulasAgainstDualNumbers) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const RandomFormula formula(seed, 4, 50);
    Graph g;
    const Outputs rows = lower(g, record(g, formula));
    const Jacobian j = jacobian(g, rows, InputKind::state, 4, GetParam());
    const Program program(g, j.entries);
    const auto at = random_point(seed, 4);
    std::vector<Dual4> x;
    for (int k = 0; k < 4; ++k) x.push_back(Dual4::variable(at[static_cast<std::size_t>(k)], k));
    const auto exact = formula(x);
    const auto full = dense(j, values(program, at));
    for (std::size_t r = 0; r < exact.size(); ++r)
      for (std::size_t c = 0; c < 4; ++c)
        EXPECT_LE(ulps(full[r * 4 + c], exact[r].d[c]), 64.0) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, EveryOrder,
                         ::testing::Values(Elimination::cheapest, Elimination::reverse,
                                           Elimination::markowitz));

TEST(Jacobians, TheCheaperOrderIsKept) {
  // Many outputs of one inner value of one input: adjoint sweeps go through the chain each time.
  Graph g;
  const Expr x = g.state("x");
  Expr v = x;
  for (int k = 0; k < 10; ++k) v = sin(v) + 0.1;
  Outputs rows;
  for (int k = 0; k < 20; ++k) rows.add(v * (k + 1.0) + v * v * k);
  std::vector<int> nodes;
  for (const auto& s : rows.single) nodes.push_back(s.value.node());
  std::vector<char> variable(static_cast<std::size_t>(g.size()), 0);
  variable[static_cast<std::size_t>(x.node())] = 1;
  const long reverse = cost(g, eliminate(g, nodes, variable, Elimination::reverse));
  const long markowitz = cost(g, eliminate(g, nodes, variable, Elimination::markowitz));
  const long kept = cost(g, eliminate(g, nodes, variable));
  EXPECT_LT(markowitz, reverse);
  EXPECT_EQ(kept, markowitz);
}

TEST(Jacobians, PatternHoldsOverAllBranches) {
  Graph g;
  const Expr x = g.state("x"), y = g.state("y"), z = g.state("z");
  Outputs rows;
  rows.add(select(x > 0.0, y, z));
  rows.add(max(x, y * y));
  rows.add(floor(x) + y - y);
  const Jacobian j = jacobian(g, rows, InputKind::state, 3);
  EXPECT_EQ(j.outer, (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(j.inner, (std::vector<int>{1, 0, 1, 0}));
  const auto rows_of = incidence(g, rows, InputKind::state);
  EXPECT_EQ(rows_of[0], (std::vector<int>{1, 2})) << "a condition is no way to solve for x";
  EXPECT_EQ(rows_of[1], (std::vector<int>{0, 1}));
  EXPECT_EQ(rows_of[2], (std::vector<int>{1})) << "structure does not see that y cancels";
}

TEST(Jacobians, TheBranchNotTakenDoesNotSpoilTheOther) {
  Graph g;
  const Expr x = g.state("x"), y = g.state("y");
  Outputs rows;
  rows.add(select(x > 0.0, sqrt(x) * y, -y));  // slope of the root at zero: infinite
  rows.add(min(sqrt(abs(x)), 1.0 + y) + max(x, y));
  const Jacobian j = jacobian(g, lower(g, rows), InputKind::state, 2);
  const Program program(g, j.entries);
  const auto at_zero = dense(j, values(program, {0.0, 3.0}));
  EXPECT_EQ(at_zero[0], 0.0);
  EXPECT_EQ(at_zero[1], -1.0);
  const auto beyond = dense(j, values(program, {4.0, 3.0}));
  EXPECT_EQ(beyond[0], 0.25 * 3.0);
  EXPECT_EQ(beyond[1], 2.0);
  EXPECT_EQ(beyond[2], 0.25 + 1.0);
}

TEST(Jacobians, MapsStayMaps) {
  // Heat conduction with a boundary value, a coupling to one state and a repeated neighbour.
  const int n = 50;
  Graph g;
  for (int i = 0; i <= n; ++i) g.next(InputKind::state, {});
  auto kernel = std::make_shared<Kernel>();
  const Expr left = kernel->argument(0), here = kernel->argument(1), right = kernel->argument(2),
             k = kernel->argument(3), far = kernel->argument(4);
  kernel->add_result(k * (left - 2.0 * here + right) + sin(here) * far);
  Map map;
  map.kernel = kernel;
  map.count = n;
  std::vector<int> l, h, r, rows;
  std::vector<double> factor;
  for (int i = 0; i < n; ++i) {
    l.push_back(i == 0 ? 0 : i - 1);  // the first one twice: the entry is a sum
    h.push_back(i);
    r.push_back(i + 1);
    rows.push_back(i);
    factor.push_back(1.0 + 0.1 * i);
  }
  const Expr last = g.input(InputKind::state, n);
  map.arguments = {MapArgument::of_input(InputKind::state, l),
                   MapArgument::of_input(InputKind::state, h),
                   MapArgument::of_input(InputKind::state, r), MapArgument::of_values(factor),
                   MapArgument::of_scalar(last * last)};
  map.rows = {rows};
  Outputs outputs;
  outputs.count = n + 1;
  outputs.maps.push_back(map);
  outputs.single.push_back({n, cos(last)});
  outputs.check(g);
  const Jacobian j = jacobian(g, outputs, InputKind::state, n + 1);
  EXPECT_EQ(j.entries.maps.size(), 1u);
  const Program program(g, j.entries), values_of(g, outputs);
  const auto x = random_point(5, n + 1);
  const auto full = dense(j, values(program, x));
  for (int c = 0; c <= n; ++c) {
    std::vector<Dual4> d(x.begin(), x.end());
    d[static_cast<std::size_t>(c)].d[0] = 1.0;
    Workspace<Dual4> workspace(values_of);
    Point<Dual4> point;
    point[InputKind::state] = d.data();
    std::vector<Dual4> out(static_cast<std::size_t>(n) + 1);
    ASSERT_EQ(workspace.run(values_of, point, out.data()), -1);
    for (int row = 0; row <= n; ++row)
      EXPECT_LE(ulps(full[static_cast<std::size_t>(row * (n + 1) + c)],
                     out[static_cast<std::size_t>(row)].d[0]),
                4.0)
          << row << " " << c;
  }
  const auto structure = incidence(g, outputs, InputKind::state);
  EXPECT_EQ(structure[3], (std::vector<int>{2, 3, 4, n}));
}

}  // namespace
}  // namespace daedalus::graph
