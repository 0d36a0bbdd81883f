// SPDX-License-Identifier: BSD-3-Clause
// The judge of iterations, on sequences of corrections whose fate is known.
#include "nonlinear/convergence_monitor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace daedalus::convergence_monitor_test {

Correction of(double size) {
  Correction c;
  c.size = size;
  return c;
}

// Judges corrections first, first theta, first theta^2, ... until a verdict.
Convergence geometric(ConvergenceMonitor& m, double first, double theta, bool fresh = true) {
  m.begin(fresh);
  double size = first;
  for (int k = 0; k < 1000; ++k, size *= theta)
    if (const Convergence v = m.judge(of(size)); v != Convergence::go_on) return v;
  return Convergence::go_on;
}

ConvergenceSettings plain() {
  ConvergenceSettings s;
  s.kappa = 1e-2;
  s.max_iterations = 20;
  s.min_second_rate = 0.0;
  s.kept_rate = 0.0;
  return s;
}

// x_k = theta^k: the error after correction k is theta^(k+1) / (1 - theta), and the estimate is
// exact for linear convergence. 0.1^2 / 0.9 = 0.011 > kappa, 0.1^3 / 0.9 = 0.0011.
TEST(ConvergenceMonitor, StopsWhereTheRemainderIsAllowed) {
  ConvergenceMonitor m(plain());
  EXPECT_EQ(geometric(m, 1.0, 0.1), Convergence::converged);
  EXPECT_EQ(m.reason(), ConvergenceReason::remainder_allowed);
  EXPECT_EQ(m.count(), 3);
  EXPECT_NEAR(m.rate(), 0.1, 1e-12);
  EXPECT_NEAR(m.remaining(), 1e-2 * 0.1 / 0.9, 1e-12);
}

TEST(ConvergenceMonitor, GrowthIsDivergence) {
  ConvergenceMonitor m(plain());
  EXPECT_EQ(geometric(m, 1.0, 1.5), Convergence::failed);
  EXPECT_EQ(m.reason(), ConvergenceReason::diverges);
  EXPECT_EQ(m.count(), 2);
  // Early growth is put up with where the method says so.
  ConvergenceSettings s = plain();
  s.early = 1;
  s.max_early_rate = 2.0;
  ConvergenceMonitor patient(s);
  EXPECT_EQ(geometric(patient, 1.0, 1.5), Convergence::failed);
  EXPECT_EQ(patient.count(), 3);
}

// From 1 with theta = 0.9 the remainder 9 0.9^k reaches 0.01 after 65 corrections: not in 20.
TEST(ConvergenceMonitor, PredictsThatIterationsWillNotBeEnough) {
  ConvergenceSettings s = plain();
  ConvergenceMonitor without(s);
  EXPECT_EQ(geometric(without, 1.0, 0.9), Convergence::failed);
  EXPECT_EQ(without.reason(), ConvergenceReason::iterations_used_up);
  EXPECT_EQ(without.count(), 20);
  s.predicts = true;
  ConvergenceMonitor with(s);
  EXPECT_EQ(geometric(with, 1.0, 0.9), Convergence::failed);
  EXPECT_EQ(with.reason(), ConvergenceReason::too_slow);
  EXPECT_EQ(with.count(), 3);
  // log(kappa / 7.29) / log 0.9 = 62.6 more from the third correction on.
  EXPECT_NEAR(with.predicted_iterations(), std::log(1e-2 / (9.0 * 0.81)) / std::log(0.9), 1e-9);
}

TEST(ConvergenceMonitor, NotANumberFails) {
  ConvergenceMonitor m(plain());
  m.begin(true);
  EXPECT_EQ(m.judge(of(std::numeric_limits<double>::quiet_NaN())), Convergence::failed);
  EXPECT_EQ(m.reason(), ConvergenceReason::not_finite);
}

TEST(ConvergenceMonitor, RoundOffIsRestOnlyBelowTheFloor) {
  ConvergenceSettings s = plain();
  s.kappa = 1e-9;
  s.max_rate = 1.5;
  const auto stalls_at = [](ConvergenceMonitor& m, double level, bool fresh) {
    m.begin(fresh);
    for (const double size : {10.0, level, 1.04 * level, 0.95 * level, 1.02 * level})
      if (const Convergence v = m.judge(of(size)); v != Convergence::go_on) return v;
    return Convergence::go_on;
  };
  ConvergenceMonitor none(s);
  EXPECT_NE(stalls_at(none, 1e-3, true), Convergence::converged);
  s.floor = s.max_stuck = 1e-2;
  ConvergenceMonitor with(s);
  EXPECT_EQ(stalls_at(with, 1e-3, true), Convergence::converged);
  EXPECT_EQ(with.reason(), ConvergenceReason::round_off);
  EXPECT_NE(stalls_at(with, 1e-1, true), Convergence::converged);
  s.floor_needs_fresh = true;
  ConvergenceMonitor careful(s);
  EXPECT_EQ(stalls_at(careful, 1e-3, true), Convergence::converged);
  EXPECT_NE(stalls_at(careful, 1e-3, false), Convergence::converged);
}

// With a matrix too large by 1e6 corrections fall by 1e-6 of themselves: they are small, below any
// floor, and nothing has converged.
TEST(ConvergenceMonitor, CorrectionsThatRepeatAreAWrongMatrix) {
  ConvergenceSettings s = plain();
  s.floor = s.max_stuck = 1e-2;
  const auto repeated = [&](bool known) {
    ConvergenceMonitor m(s);
    m.begin(true);
    Correction c = of(1e-5);
    EXPECT_EQ(m.judge(c), Convergence::go_on);
    c.repeats = known;
    c.size *= 1.0 - 1e-6;
    const Convergence v = m.judge(c);
    return std::pair{v, m.reason()};
  };
  EXPECT_EQ(repeated(true).first, Convergence::failed);
  EXPECT_EQ(repeated(true).second, ConvergenceReason::wrong_matrix);
  EXPECT_EQ(repeated(false).first, Convergence::converged);  // what the entries do not tell
}

// An entry that repeats behind a first correction of others: one more correction decides.
TEST(ConvergenceMonitor, ARepeatedEntryIsNotAcceptedForTheOthersRate) {
  ConvergenceMonitor m(plain());
  m.begin(true);
  EXPECT_EQ(m.judge(of(1e4)), Convergence::go_on);
  Correction c = of(1e-2);
  c.repeats = true;
  EXPECT_EQ(m.judge(c), Convergence::go_on);
  EXPECT_EQ(m.judge(c), Convergence::failed);
  EXPECT_EQ(m.reason(), ConvergenceReason::wrong_matrix);
}

ConvergenceSettings trusting() {
  ConvergenceSettings s = plain();
  s.trusts_first = true;
  s.kept_rate = 0.3;
  return s;
}

TEST(ConvergenceMonitor, OneCorrectionIsTrustedWithAMeasuredRateOnly) {
  ConvergenceMonitor m(trusting());
  m.matrix_changed();
  m.begin(false);
  EXPECT_EQ(m.judge(of(0.5)), Convergence::go_on);        // nothing is known
  EXPECT_EQ(m.judge(of(0.005)), Convergence::converged);  // theta = 0.01
  m.begin(false);
  EXPECT_EQ(m.judge(of(0.5)), Convergence::converged);  // 1.2 0.01 0.5 < kappa
  // Twice as long as what was measured: 4 tolerances, rate 8 times as large.
  m.begin(false);
  EXPECT_EQ(m.judge(of(4.0)), Convergence::go_on);
  m.matrix_changed();
  m.begin(false);
  EXPECT_EQ(m.judge(of(0.5)), Convergence::go_on);
}

TEST(ConvergenceMonitor, RatesAge) {
  ConvergenceMonitor m(trusting());
  m.matrix_changed();
  m.begin(false);
  (void)m.judge(of(0.5));
  (void)m.judge(of(0.005));
  int steps = 0;
  for (; steps < 100; ++steps) {
    m.begin(false);
    if (m.judge(of(0.5)) != Convergence::converged) break;
  }
  // 0.01 1.2^k / (1 - ...) 0.5 <= 0.01: k = 3.
  EXPECT_EQ(steps, 3);
}

TEST(ConvergenceMonitor, AHeldVariableIsNotTrusted) {
  ConvergenceMonitor m(trusting());
  m.matrix_changed();
  m.begin(false);
  (void)m.judge(of(0.5));
  (void)m.judge(of(0.005));
  m.begin(false);
  Correction c = of(1e-5);
  c.held = true;
  EXPECT_EQ(m.judge(c), Convergence::go_on);
}

TEST(ConvergenceMonitor, OldMatricesAreGivenUpUnlessTheRestIsHarmless) {
  ConvergenceSettings s = plain();
  s.max_old_rate = 0.3;
  s.harmless = 1e-4;
  ConvergenceMonitor m(s);
  EXPECT_EQ(geometric(m, 1.0, 0.4, false), Convergence::failed);
  EXPECT_EQ(m.count(), 2);
  EXPECT_EQ(geometric(m, 1.0, 0.4, true), Convergence::converged);
  EXPECT_EQ(geometric(m, 1e-4, 0.4, false), Convergence::converged);
}

TEST(ConvergenceMonitor, TheMeanOfTwoRatesCounts) {
  ConvergenceSettings s = plain();
  s.mean_rate = true;
  s.kappa = 1e-9;
  ConvergenceMonitor m(s);
  m.begin(true);
  for (const double size : {1.0, 0.1, 0.04}) EXPECT_EQ(m.judge(of(size)), Convergence::go_on);
  EXPECT_NEAR(m.rate(), 0.2, 1e-12);  // sqrt(0.1 0.4)
}

}  // namespace daedalus::convergence_monitor_test
