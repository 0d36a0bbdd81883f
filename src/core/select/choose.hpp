// SPDX-License-Identifier: BSD-3-Clause
// From problem and options to a method, a formulation and a reason.
#pragma once

#include <daedalus/method.hpp>
#include <daedalus/solve.hpp>

#include "formulation/first_order_system.hpp"

namespace daedalus {

// What a run has shown of itself.
enum class Course {
  usual,
  stiff,     // stability would limit the steps of explicit methods
  long_run,  // many steps are behind it, and more are to come
  friction,  // forces depend on multipliers
};

struct Choice {
  const Method* method = nullptr;
  std::string formulation;  // empty for first-order problems
  std::string reason;
  View view = View::residual;
  std::vector<Choice> runners_up{};  // of the automatic choice, in order
  double tolerance_share = 1.0;      // as in MethodChoice
  bool for_short_runs = false;       // another one is chosen for Course::long_run
};

// Throws InvalidArgument for unknown names (with the nearest one) and combinations that do not fit.
// The runners-up on request.
Choice choose(const Problem& problem, const Options& options, Course course = Course::usual,
              bool runners_up = false);

// The first method for stiff problems that takes this one; empty: none.
std::string stiff_alternative(const Problem& problem);

LoweringOptions lowering_of(const Options& options);

}  // namespace daedalus
