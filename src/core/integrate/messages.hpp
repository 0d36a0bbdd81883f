// SPDX-License-Identifier: BSD-3-Clause
// Sentences for runs that end early: what happened, where, and what to try.
#pragma once

#include <string>
#include <string_view>

#include "control/controller.hpp"
#include "system/system.hpp"

namespace daedalus {

Status status_of(Outcome outcome);
std::string explain_failure(const System& system, Outcome outcome, const Attempt& attempt,
                            std::span<const ErrorTest> tests, double t, double h);
// A sentence about an algebraic equation that loses its hold on a variable between the start of the
// run and the place where it ended; empty: none does.
std::string explain_impasse(System& system, Outcome outcome, const State& start, const State& end);
// What Newton's method that fails is told with as long as nobody knows better.
inline constexpr std::string_view newton_advice =
    " Check the Jacobian (daedalus check), the start values, and whether the solution ends there.";
std::string what_was_thrown(const std::exception_ptr& exception);

}  // namespace daedalus
