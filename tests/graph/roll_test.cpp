// SPDX-License-Identifier: BSD-3-Clause
// Repeated equations: found in flat graphs, evaluated by blocks, growing linearly.
#include <gtest/gtest.h>

#include "graph/interpreter.hpp"
#include "graph/jacobian.hpp"
#include "graph/lower.hpp"
#include "graph/machine_code.hpp"
#include "graph/random_formula.hpp"
#include "graph/roll.hpp"

namespace daedalus::graph {
namespace {

// A line of n cells with two unknowns each, a source at one end and a diode at the other.
Outputs line(Graph& g, int n) {
  std::vector<Expr> x;
  for (int i = 0; i < 2 * n; ++i) x.push_back(g.next(InputKind::state, {}));
  const auto at = [&](int i) { return x[static_cast<std::size_t>(i)]; };
  const Expr source = sin(100.0 * g.time());
  Outputs rows;
  for (int i = 0; i < n; ++i) {
    const Expr before = i == 0 ? source : at(2 * i - 2);
    const Expr next = i == n - 1 ? exp(at(2 * i)) - 1.0 : at(2 * i + 3);
    const double factor = 1.0 + 0.001 * i;
    rows.add(factor * (at(2 * i + 1) - next) - 0.1 * pow(at(2 * i), 3.0));
    rows.add((before - at(2 * i)) / 3.0 - source * at(2 * i + 1));
  }
  return rows;
}

std::vector<double> run(const Program& program, const std::vector<double>& x) {
  Workspace<double> workspace(program);
  const double t = 0.37;
  Point<double> point;
  point[InputKind::time] = &t;
  point[InputKind::state] = x.data();
  std::vector<double> out(static_cast<std::size_t>(program.output_count()), -1.0);
  EXPECT_EQ(workspace.run(program, point, out.data()), -1);
  if (const auto code = MachineCode::compile(program)) {
    Workspace<double> other(program);
    std::vector<double> by_code(out.size(), -2.0);
    EXPECT_EQ(code->run(program, other, point, by_code.data()), -1);
    EXPECT_EQ(by_code, out);
  }
  return out;
}

TEST(Roll, RepeatedRowsBecomeFewMaps) {
  const int n = 300;
  Graph g;
  const Outputs flat = lower(g, line(g, n)), rolled = roll(g, flat);
  rolled.check(g);
  EXPECT_EQ(rolled.maps.size(), 2u);
  EXPECT_LE(rolled.single.size(), 3u);
  const auto x = random_point(1, 2 * n);
  const auto options = MachineCode::program_options();
  EXPECT_EQ(run(Program(g, rolled, options), x), run(Program(g, flat, options), x));
  const Jacobian j = jacobian(g, rolled, InputKind::state, 2 * n),
                 k = jacobian(g, flat, InputKind::state, 2 * n);
  EXPECT_EQ(j.outer, k.outer);
  EXPECT_EQ(j.inner, k.inner);
  const auto a = run(Program(g, j.entries, options), x), b = run(Program(g, k.entries, options), x);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LE(ulps(a[i], b[i]), 2.0);
}

TEST(Roll, FewRowsStayAsTheyAre) {
  Graph g;
  const Outputs flat = line(g, 10);
  EXPECT_TRUE(roll(g, flat).maps.empty());
  EXPECT_EQ(roll(g, flat).single.size(), flat.single.size());
}

// Counts, not times: instructions and memory of programs of rolled models do not grow with their
// length, tables grow linearly.
TEST(Roll, ProgramsOfMapsGrowLinearly) {
  std::vector<std::size_t> instructions, memory;
  for (const int n : {1000, 10000, 100000}) {
    Graph g;
    auto kernel = std::make_shared<Kernel>();
    const Expr left = kernel->argument(0), here = kernel->argument(1), right = kernel->argument(2);
    kernel->add_result(left - 2.0 * here + right - pow(here, 3.0));
    Map map;
    map.kernel = kernel;
    map.count = n;
    std::vector<int> l, h, r;
    for (int i = 0; i < n; ++i) {
      l.push_back(std::max(i - 1, 0));
      h.push_back(i);
      r.push_back(std::min(i + 1, n - 1));
    }
    map.arguments = {MapArgument::of_input(InputKind::state, l),
                     MapArgument::of_input(InputKind::state, h),
                     MapArgument::of_input(InputKind::state, r)};
    map.rows = {h};
    Outputs rows;
    rows.count = n;
    rows.maps.push_back(map);
    const Outputs lowered = lower(g, rows);
    const Program f(g, lowered);
    const Jacobian j = jacobian(g, lowered, InputKind::state, n);
    EXPECT_EQ(j.entries.count, 3 * n - 2);
    const Program entries(g, j.entries);
    EXPECT_LE(g.size(), 16) << "maps need no nodes of the graph around them";
    std::size_t count = f.instructions().list.size() + entries.instructions().list.size();
    for (const auto& m : f.maps()) count += m.kernel.list.size();
    for (const auto& m : entries.maps()) count += m.kernel.list.size();
    instructions.push_back(count);
    memory.push_back(f.memory() + entries.memory());
  }
  EXPECT_EQ(instructions[0], instructions[2]);
  EXPECT_LE(memory[2], 110 * memory[0]);
  EXPECT_LE(memory[2], 20u << 20) << "200 bytes per equation";
}

}  // namespace
}  // namespace daedalus::graph
