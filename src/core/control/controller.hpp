// SPDX-License-Identifier: BSD-3-Clause
// Step-size control: pure functions (parameters, history, report) -> accept, retry or give up, next
// step and order. The loop keeps the history.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <daedalus/stepper.hpp>
#include "control/measure.hpp"

namespace daedalus {

enum class Verdict { accept, retry, give_up };

struct Decision {
  Verdict verdict = Verdict::accept;
  double h = 0.0;
  int order = 1;
};

struct ControlHistory {
  double h_last = 0.0;
  double error_last = 1.0;  // test value of the step before, floored
  double error_before = 1.0;
  long accepted = 0;
  int rejections = 0;          // in a row, of the present step
  int since_change = 1000000;  // accepted steps since h changed
  int at_order = 0;
  bool rising = true;  // no rejection and no lower order since the start
};

struct ControlParameters {
  double safety = 0.9;  // Hairer, Noersett, Wanner I, section II.4
  double shrink = 0.2;  // smallest and largest ratio of consecutive steps
  double grow = 6.0;
  double stabilisation = 0.04;  // beta of stabilised_control
  bool grow_after_rejection = false;
  bool variable_order = false;
  int order_hold = 0;
  const std::vector<double>* prescribed = nullptr;
};

struct ControlReport {
  Outcome outcome;
  long number;
  double h;
  int order;
  std::span<const ErrorTest> tests;
  Advice advice;
};

// A smaller test value says nothing about h.
inline constexpr double min_error = 1e-10;
// All tests at the order of the step.
bool passes(const ControlReport& r);

using Control = Decision (*)(const ControlParameters&, const ControlHistory&, const ControlReport&);

// h * safety * error^(-1/p).
Decision elementary_control(const ControlParameters&, const ControlHistory&, const ControlReport&);
// Gustafsson's predictive PI control for error per step (Hairer, Wanner II, (IV.8.25)).
Decision pi_control(const ControlParameters&, const ControlHistory&, const ControlReport&);
// Stabilised control (Hairer, Noersett, Wanner I, section II.4; II, section IV.2): with p the power
// of the estimate, h * safety * error^-(1/p - 0.75 beta) * (last error)^beta.
Decision stabilised_control(const ControlParameters&, const ControlHistory&, const ControlReport&);
// Digital filter H211b with b = 4 (Soederlind 2003, ACM TOMS 29): smooth step sequences.
Decision filter_control(const ControlParameters&, const ControlHistory&, const ControlReport&);
// Variable order: the order among k - 1, k, k + 1 that allows the largest step; steps change only
// by factors that pay; see control/multistep.cpp.
Decision multistep_control(const ControlParameters&, const ControlHistory&, const ControlReport&);
// DAE2SOL (Tischendorf 1992, section 4.3): the largest of the steps proposed at the orders k - 1,
// k, k + 1 and its order. As printed (h times eta); halving and doubling (the rule that fits the
// published step counts); the same with an order kept for k + 1 steps.
Decision dae2sol_printed(const ControlParameters&, const ControlHistory&, const ControlReport&);
Decision dae2sol_halving(const ControlParameters&, const ControlHistory&, const ControlReport&);
Decision dae2sol_holding(const ControlParameters&, const ControlHistory&, const ControlReport&);
// The best of 450 rules (acceptance, safety after accepted and rejected steps, order at rejections)
// against all printed numbers of steps at once.
Decision dae2sol_fitted(const ControlParameters&, const ControlHistory&, const ControlReport&);
// Fixed steps or a given sequence: no error test, the first failure ends the run.
Decision prescribed_control(const ControlParameters&, const ControlHistory&, const ControlReport&);

}  // namespace daedalus
