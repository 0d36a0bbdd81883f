// SPDX-License-Identifier: BSD-3-Clause
// Reductions and messages of a run are those of the model in docs/ranks.md.
#include <gtest/gtest.h>

#include "ranks/world.hpp"

namespace daedalus::test {
namespace {

struct Counted {
  DistributedSolution s;
  Counts steps;
  long attempts;
};

Counted counted(const char* name, double n, const char* method, DistributedPreconditioner kind) {
  Options o;
  o.method = method;
  o.rtol = 1e-4;
  o.atol = 1e-4;
  o.output = Output::end;
  Distribution d;
  d.preconditioner = kind;
  DistributedSolution s = world().solve(part_of(name, {{"n", n}}), {0.0, 0.1}, o, d);
  EXPECT_TRUE(s.own.ok()) << s.own.message();
  const Counts steps = s.own.statistics().in(Phase::step);
  const long attempts = s.own.statistics().steps();
  return {std::move(s), steps, attempts};
}

// K products, S solves, N iterations, A attempts, L linearisations, F factorisations:
//   2 K + S + N + 2 A + L + F; without GMRES no K and S; with index 2 each solution of bdf is
//   compared with the last state, the first step's three ones as well.
TEST(CountsOverRanks, ReductionsOfBdf) {
  for (const double n : {6.0, 9.0}) {
    const Counted direct = counted("pde-2d", n, "bdf", DistributedPreconditioner::redundant);
    const Counts& c = direct.steps;
    EXPECT_EQ(direct.s.counts.reductions, c.newton_iterations + 2 * direct.attempts +
                                              c.jacobian_evaluations + c.factorisations +
                                              direct.attempts + 2);
    const Counted blocks = counted("pde-2d", n, "bdf", DistributedPreconditioner::asm_lu);
    const Counts& b = blocks.steps;
    EXPECT_EQ(blocks.s.counts.reductions, 2 * b.krylov_iterations + b.solves + b.newton_iterations +
                                              2 * blocks.attempts + b.jacobian_evaluations +
                                              b.factorisations + blocks.attempts + 2);
  }
}

TEST(CountsOverRanks, ReductionsOfRodas) {
  for (const double n : {8.0}) {
    const Counted direct =
        counted("transmission-line", n, "rodas4", DistributedPreconditioner::redundant);
    EXPECT_EQ(direct.s.counts.reductions, 2 * direct.attempts + direct.steps.jacobian_evaluations +
                                              direct.steps.factorisations);
    const Counted blocks =
        counted("transmission-line", n, "rodas4", DistributedPreconditioner::asm_lu);
    const Counts& b = blocks.steps;
    EXPECT_EQ(blocks.s.counts.reductions, 2 * b.krylov_iterations + b.solves + 2 * blocks.attempts +
                                              b.jacobian_evaluations + b.factorisations);
  }
}

// One message to each neighbour per evaluation and linearisation, 8 bytes per ghost.
TEST(CountsOverRanks, Messages) {
  const Counted r =
      counted("transmission-line", 20.0, "rodas4", DistributedPreconditioner::redundant);
  const long neighbours =
      (world().rank() > 0 ? 1 : 0) + (world().rank() + 1 < world().size() ? 1 : 0);
  const long calls = r.steps.function_evaluations + r.steps.jacobian_evaluations;
  EXPECT_EQ(r.s.counts.messages, neighbours * calls);
  EXPECT_EQ(r.s.counts.bytes, 8.0 * static_cast<double>(neighbours * calls));
}

}  // namespace
}  // namespace daedalus::test
