// SPDX-License-Identifier: BSD-3-Clause
// One problem over as many ranks as there are: the same solution as in one process.
#include <gtest/gtest.h>

#include <cmath>

#include <daedalus/solve.hpp>

#include "ranks/world.hpp"

namespace daedalus::test {
namespace {

Options tight(const char* method, double rtol = 1e-6) {
  Options o;
  o.method = method;
  o.rtol = rtol;
  o.atol = rtol;
  o.output = Output::end;
  return o;
}

// Largest difference to the problem of the catalogue in one process, by name; of all variables of
// `index`.
double distance(const Solution& whole, const char* name, const problems::Values& values,
                const Options& options, int index) {
  const problems::Entry& entry = *problems::find_problem(name);
  const Solution serial = solve(entry.problem(values), {entry.t0, entry.t_end}, options);
  EXPECT_TRUE(serial.ok()) << serial.message();
  const ModelState a = whole.end(), b = serial.end();
  double largest = 0.0;
  for (const Variables::Range& r : whole.variables().ranges)
    for (int i = r.first; i < r.first + r.count; ++i)
      if (r.index == index) {
        const std::string& variable = whole.variables().names[static_cast<std::size_t>(i)];
        largest = std::max(largest, std::abs(a[variable] - b[variable]));
      }
  return largest;
}

DistributedSolution over_ranks(const char* name, const problems::Values& values,
                               const Options& options, DistributedPreconditioner kind) {
  const problems::Entry& entry = *problems::find_problem(name);
  Distribution d;
  d.preconditioner = kind;
  return world().solve(part_of(name, values), {entry.t0, entry.t_end}, options, d);
}

TEST(SolveOverRanks, StokesByDirectFactorsIsTheFlowOfOneProcess) {
  const Options o = tight("bdf");
  const DistributedSolution s =
      over_ranks("pde-2d", {{"n", 8.0}}, o, DistributedPreconditioner::redundant);
  ASSERT_EQ(s.own.status(), Status::success) << s.own.message();
  const Solution whole = world().gather(s.own);
  if (world().rank() != 0) return;
  EXPECT_EQ(whole.variables().size(), s.unknowns);
  EXPECT_LT(distance(whole, "pde-2d", {{"n", 8.0}}, o, 1), 1e-5);
  EXPECT_LT(distance(whole, "pde-2d", {{"n", 8.0}}, o, 2), 1e-3);
}

TEST(SolveOverRanks, StokesByOverlappingBlocksIsTheSame) {
  const Options o = tight("bdf");
  const DistributedSolution s =
      over_ranks("pde-2d", {{"n", 8.0}}, o, DistributedPreconditioner::asm_lu);
  ASSERT_EQ(s.own.status(), Status::success) << s.own.message();
  const Solution whole = world().gather(s.own);
  if (world().rank() != 0) return;
  EXPECT_LT(distance(whole, "pde-2d", {{"n", 8.0}}, o, 1), 1e-5);
}

TEST(SolveOverRanks, AllMethodsOnALine) {
  for (const char* method : {"rodas5p", "ros34pw2"})
    for (const auto kind : {DistributedPreconditioner::asm_lu}) {
      const Options o = tight(method, 1e-4);
      const DistributedSolution s = over_ranks("transmission-line", {{"n", 8.0}}, o, kind);
      ASSERT_EQ(s.own.status(), Status::success) << method << ": " << s.own.message();
      const Solution whole = world().gather(s.own);
      if (world().rank() != 0) continue;
      EXPECT_LT(distance(whole, "transmission-line", {{"n", 8.0}}, o, 1), 5e-3) << method;
    }
}

TEST(SolveOverRanks, ImplicitEulerOnALine) {
  Options o = tight("implicit-euler", 1e-2);
  const DistributedSolution s =
      over_ranks("transmission-line", {{"n", 10.0}}, o, DistributedPreconditioner::asm_lu);
  ASSERT_EQ(s.own.status(), Status::success) << s.own.message();
}

TEST(SolveOverRanks, LineOfIndexTwo) {
  Options o = tight("bdf", 1e-5);
  o.method_options["max_order"] = 2.0;
  const DistributedSolution s = over_ranks("transmission-line-index2", {{"n", 10.0}}, o,
                                           DistributedPreconditioner::redundant);
  ASSERT_EQ(s.own.status(), Status::success) << s.own.message();
  const Solution whole = world().gather(s.own);
  if (world().rank() == 0)
    EXPECT_LT(distance(whole, "transmission-line-index2", {{"n", 10.0}}, o, 1), 5e-3);
}

// MUMPS waits by spinning: slow where cores are shared.
TEST(SlowSolveOverRanks, StokesByMumps) {
  const Options o = tight("bdf", 1e-4);
  const DistributedSolution s =
      over_ranks("pde-2d", {{"n", 6.0}}, o, DistributedPreconditioner::lu);
  ASSERT_EQ(s.own.status(), Status::success) << s.own.message();
  const Solution whole = world().gather(s.own);
  if (world().rank() == 0) EXPECT_LT(distance(whole, "pde-2d", {{"n", 6.0}}, o, 1), 1e-3);
}

// More ranks than cells: some have nothing at all.
TEST(SolveOverRanks, RanksWithoutUnknowns) {
  const DistributedSolution s = over_ranks("transmission-line", {{"n", 1.0}}, tight("bdf"),
                                           DistributedPreconditioner::redundant);
  EXPECT_EQ(s.own.status(), Status::success) << s.own.message();
}

TEST(SolveOverRanks, EqualRunsHaveEqualBits) {
  std::vector<double> first;
  for (int run = 0; run < 2; ++run) {
    const DistributedSolution s =
        over_ranks("pde-2d", {{"n", 6.0}}, tight("bdf", 1e-4), DistributedPreconditioner::asm_lu);
    ASSERT_TRUE(s.own.ok()) << s.own.message();
    const ModelState end = s.own.end();
    const Eigen::VectorXd all = end.all();
    const std::vector<double> values(all.data(), all.data() + all.size());
    if (run % 2 == 1) EXPECT_EQ(values, first);
    first = values;
  }
}

TEST(SolveOverRanks, StatesAtAskedTimesAreGathered) {
  Options o = tight("bdf");
  o.output = Output::times;
  o.output_times = {0.0, 0.25, 0.5, 1.0};
  const DistributedSolution s =
      over_ranks("pde-2d", {{"n", 6.0}}, o, DistributedPreconditioner::redundant);
  ASSERT_TRUE(s.own.ok()) << s.own.message();
  EXPECT_EQ(s.own.times(), o.output_times);
  const Solution whole = world().gather(s.own);
  if (world().rank() != 0) return;
  const problems::Entry& entry = *problems::find_problem("pde-2d");
  for (std::size_t k = 0; k < o.output_times.size(); ++k)
    for (const auto& [name, value] : entry.exact(o.output_times[k], {{"n", 6.0}}))
      if (name[0] != 'p') EXPECT_NEAR(whole.state(k)[name], value, 2e-5) << name << " " << k;
}

}  // namespace
}  // namespace daedalus::test
