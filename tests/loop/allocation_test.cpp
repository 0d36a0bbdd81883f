// SPDX-License-Identifier: BSD-3-Clause
// What a short solve costs beside its steps: pieces of memory, which were half of it. Counted at
// malloc, since Eigen does not go through operator new; a sanitizer brings its own malloc and
// leaves this file out.
#include <gtest/gtest.h>

#include <catalogue/catalogue.hpp>
#include <daedalus/solve.hpp>

#include "count_allocations.hpp"

#if DAEDALUS_COUNTS_MALLOC

namespace daedalus {
namespace {

struct Cost {
  long pieces, steps;
};

// Of a solve over a small part of the interval, after others that made what a process keeps.
Cost cost_of(const char* name, const char* method, double part) {
  const problems::Entry& e = *problems::find_problem(name);
  const Problem p = e.problem();
  const Options o{.method = method, .rtol = 1e-4, .atol = 1e-4, .output = Output::end};
  const Interval interval{e.t0, e.t0 + part * (e.t_end - e.t0)};
  for (int k = 0; k < 2; ++k) (void)solve(p, interval, o);
  const long before = allocations;
  const Solution s = solve(p, interval, o);
  const long pieces = allocations - before;
  EXPECT_TRUE(s.ok()) << s.message();
  return {pieces, s.statistics().steps()};
}

// The bounds leave a tenth of room; van-der-pol took 276 pieces before.
TEST(FixedCost, OfAShortSolveIsFewPiecesOfMemory) {
  struct Row {
    const char *problem, *method;
    double part;
    long pieces;
  };
  for (const Row& r : {Row{"van-der-pol", "rodas4", 1e-9, 220}, Row{"hires", "rodas4", 1e-9, 280},
                       Row{"pendulum", "mdop5", 1e-4, 410}}) {
    const Cost c = cost_of(r.problem, r.method, r.part);
    EXPECT_LE(c.steps, 4) << r.problem;
    EXPECT_LE(c.pieces, r.pieces) << r.problem << " " << r.method;
  }
}

}  // namespace
}  // namespace daedalus

#endif
