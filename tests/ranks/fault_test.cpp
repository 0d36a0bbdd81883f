// SPDX-License-Identifier: BSD-3-Clause
// Something goes wrong on one rank, in one evaluation: all ranks end or go on together, with one
// message. A rank that went its own way would hang the program, which the test's time limit shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <daedalus/autodiff.hpp>

#include "ranks/world.hpp"

namespace daedalus::test {
namespace {

using testing::HasSubstr;

enum class Fault { nan, thrown, rejected, memory };

// The part of a problem with a fault in evaluation `number` on `rank`, or in all from there on.
DistributedProblem with_fault(const char* name, const problems::Values& values, Fault fault,
                              int rank, int number, bool always = false) {
  DistributedProblem p = part_of(name, values);
  if (world().rank() != rank) return p;
  const auto count = std::make_shared<int>(0);
  const Function<slot::StateVector> whole = p.rhs;
  struct Call {
    Function<slot::StateVector> f;
    std::shared_ptr<int> count;
    Fault fault;
    int number;
    bool always;
  };
  const Call call{whole, count, fault, number, always};
  const int rows = p.rows;
  p.rhs = autodiff([call, rows](const auto& t, const auto& y, auto& f) {
    using S = std::decay_t<decltype(y[0])>;
    Arguments<S> a;
    a.t = t;
    a.x = {y.data(), nullptr, nullptr, nullptr, nullptr};
    a.n = {static_cast<int>(y.size()), 0, 0, 0, 0};
    if (call.f(a, f.data(), rows) != Eval::ok) throw Reject("not here");
    const bool now = ++*call.count == call.number || (call.always && *call.count > call.number);
    if (!now) return;
    if (call.fault == Fault::thrown) throw std::runtime_error("injected");
    if (call.fault == Fault::rejected) throw Reject("injected");
    if (call.fault == Fault::memory) throw std::bad_alloc();
    f[0] = f[0] + std::numeric_limits<double>::quiet_NaN();
  });
  return p;
}

DistributedSolution run(const DistributedProblem& p, const char* method,
                        DistributedPreconditioner kind, double end = 0.05) {
  Options o;
  o.method = method;
  o.rtol = 1e-4;
  o.atol = 1e-4;
  o.output = Output::end;
  Distribution d;
  d.preconditioner = kind;
  return world().solve(p, {0.0, end}, o, d);
}

// The same on every rank.
void expect_common(const Solution& s) {
  const std::string text = std::string(to_string(s.status())) + s.message();
  EXPECT_EQ(world().first_to_differ(text), -1) << text;
}

constexpr int evaluations = 60;

void throw_everywhere(const char* method, int from, int by) {
  for (int rank = 0; rank < world().size(); ++rank)
    for (int number = from; number <= evaluations; number += by) {
      SCOPED_TRACE(fmt::format("{} rank {} evaluation {}", method, rank, number));
      const DistributedSolution s =
          run(with_fault("transmission-line", {{"n", 6.0}}, Fault::thrown, rank, number), method,
              DistributedPreconditioner::asm_lu, 0.1);
      expect_common(s.own);
      if (s.own.ok()) continue;  // probes of the structure, and what comes after the end
      EXPECT_EQ(s.own.status(), Status::callback_failed);
      EXPECT_THAT(s.own.message(), HasSubstr("injected"));
      if (world().size() > 1)
        EXPECT_THAT(s.own.message(), HasSubstr(fmt::format("rank {} of", rank)));
      EXPECT_TRUE(s.own.exception());
    }
}

void be_no_number_everywhere(DistributedPreconditioner kind, int from, int by) {
  for (int rank = 0; rank < world().size(); ++rank)
    for (int number = from; number <= evaluations; number += by) {
      SCOPED_TRACE(fmt::format("rank {} evaluation {}", rank, number));
      const DistributedSolution s =
          run(with_fault("pde-2d", {{"n", 6.0}}, Fault::nan, rank, number), "bdf", kind);
      expect_common(s.own);
      EXPECT_TRUE(s.own.ok() || s.own.status() == Status::not_finite) << s.own.message();
      // Only at the start is there no smaller step.
      if (!s.own.ok()) EXPECT_EQ(s.own.statistics().accepted, 0);
    }
}

TEST(FaultsOverRanks, AnExceptionEndsAllRanksWithOneMessage) {
  throw_everywhere("bdf", 9, 23);
  throw_everywhere("rodas4", 12, 31);
}
TEST(FaultsOverRanks, ANumberThatIsNoneCostsAStepAtMost) {
  be_no_number_everywhere(DistributedPreconditioner::asm_lu, 4, 19);
}
TEST(SlowFaultsOverRanks, AnExceptionInEveryEvaluation) {
  throw_everywhere("bdf", 1, 1);
  throw_everywhere("rodas4", 1, 1);
}
TEST(SlowFaultsOverRanks, ANumberThatIsNoneInEveryEvaluation) {
  be_no_number_everywhere(DistributedPreconditioner::asm_lu, 1, 1);
  be_no_number_everywhere(DistributedPreconditioner::redundant, 1, 1);
}

TEST(FaultsOverRanks, RejectionsAndMemory) {
  for (int rank = 0; rank < world().size(); ++rank)
    for (int number = 25; number <= evaluations; number += 30) {
      const DistributedSolution rejected =
          run(with_fault("pde-2d", {{"n", 6.0}}, Fault::rejected, rank, number), "bdf",
              DistributedPreconditioner::asm_lu);
      expect_common(rejected.own);
      EXPECT_TRUE(rejected.own.ok()) << rejected.own.message();
      const DistributedSolution memory =
          run(with_fault("pde-2d", {{"n", 6.0}}, Fault::memory, rank, number), "bdf",
              DistributedPreconditioner::redundant);
      expect_common(memory.own);
      if (!memory.own.ok()) EXPECT_THAT(memory.own.message(), HasSubstr("not enough memory"));
    }
}

TEST(FaultsOverRanks, ANumberThatStaysNoneIsNamedByItsRank) {
  const int last = world().size() - 1;
  const DistributedSolution s = run(with_fault("pde-2d", {{"n", 6.0}}, Fault::nan, last, 30, true),
                                    "bdf", DistributedPreconditioner::redundant, 1.0);
  expect_common(s.own);
  EXPECT_EQ(s.own.status(), Status::not_finite);
  const int first_row = 6 * last / world().size();
  EXPECT_THAT(s.own.message(), HasSubstr(fmt::format("balance of u{}'", 5 * first_row + 1)));
}

}  // namespace
}  // namespace daedalus::test
