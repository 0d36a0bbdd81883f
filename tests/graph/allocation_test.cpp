// SPDX-License-Identifier: BSD-3-Clause
// No evaluator allocates during a run.
#include <gtest/gtest.h>

#include <daedalus/graph_table.hpp>

#include "count_allocations.hpp"
#include "graph/interpreter.hpp"
#include "graph/jacobian.hpp"
#include "graph/lower.hpp"
#include "graph/machine_code.hpp"
#include "graph/random_formula.hpp"
#include "graph/series.hpp"

#if DAEDALUS_COUNTS_MALLOC

namespace daedalus::graph {
namespace {

Outputs everything(Graph& g) {
  Outputs rows = record(g, RandomFormula(5, 4, 60));
  const Expr x = g.input(InputKind::state, 0);
  const auto table =
      std::make_shared<Table>("t", std::vector<double>{0, 1}, std::vector<double>{1, 3});
  rows.add(select(x > 0.0, exp(x) * sin(x) * cos(x), log(2.0 - x)) + g.table(table, x));
  auto kernel = std::make_shared<Kernel>();
  kernel->add_result(sin(kernel->argument(0)) * kernel->argument(1));
  Map map;
  map.kernel = kernel;
  map.count = 4;
  map.arguments = {MapArgument::of_input(InputKind::state, {0, 1, 2, 3}),
                   MapArgument::of_scalar(x * x)};
  map.rows = {{rows.count, rows.count + 1, rows.count + 2, rows.count + 3}};
  rows.count += 4;
  rows.maps.push_back(map);
  return rows;
}

template <class S>
long allocations_of(const Program& program) {
  Workspace<S> workspace(program);
  const std::vector<S> x{S(0.1), S(-0.2), S(0.7), S(1.1)};
  const S t = S(0.0);
  Point<S> point;
  point[InputKind::state] = x.data();
  point[InputKind::time] = &t;
  std::vector<S> out(static_cast<std::size_t>(program.output_count()));
  const long before = allocations;
  workspace.run(program, point, out.data());
  return allocations - before;
}

TEST(GraphAllocation, EvaluatorsAskForNoMemory) {
  Graph g;
  const Outputs rows = lower(g, everything(g));
  const Program program(g, rows), entries(g, jacobian(g, rows, InputKind::state, 4).entries);
  for (const Program* p : {&program, &entries}) {
    EXPECT_EQ(allocations_of<double>(*p), 0);
    EXPECT_EQ(allocations_of<Dual4>(*p), 0);
    EXPECT_EQ(allocations_of<Taylor2>(*p), 0);
    EXPECT_EQ(allocations_of<Taylor2Dual>(*p), 0);
  }
  const Program plain(g, rows, MachineCode::program_options());
  if (const auto code = MachineCode::compile(plain)) {
    Workspace<double> workspace(plain);
    const double x[] = {0.1, -0.2, 0.7, 1.1}, t = 0.0;
    Point<double> point;
    point[InputKind::state] = x;
    point[InputKind::time] = &t;
    std::vector<double> out(static_cast<std::size_t>(plain.output_count()));
    const long before = allocations;
    code->run(plain, workspace, point, out.data());
    EXPECT_EQ(allocations - before, 0);
  }
}

}  // namespace
}  // namespace daedalus::graph

#endif
