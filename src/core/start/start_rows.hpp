// SPDX-License-Identifier: BSD-3-Clause
// Shared by the strategies: rows scaled by what a change within tolerance would do to them.
#pragma once

#include <optional>

#include "start/consistent.hpp"

namespace daedalus {

// `variable`: the one a singular matrix does not determine, if known.
StartReport failed_start(System& system, double t, Outcome outcome, std::string_view doing,
                         std::string_view variable = {});
// Adds rows and sorts; a row is inconsistent when its scaled value exceeds one.
void sort_rows(StartReport& report);
// Turns the worst rows into inconsistent_start and a sentence.
void refuse(StartReport& report, double t, std::string_view remedy);
// The same after an attempt to solve for consistent values.
void give_up(StartReport& report, double t, std::string_view why);

StartReport start_multibody(System& system, State& state, const StartRequest& request);
StartReport start_hessenberg(System& system, State& state, const StartRequest& request);
StartReport start_linear(System& system, State& state, const StartRequest& request);
StartReport start_residual(System& system, State& state, const StartRequest& request);
// Nothing: the system is small, or its structure asks for full matrices.
std::optional<StartReport> start_sparse(System& system, State& state, const StartRequest& request);
// Nothing: the equations along curves are not at hand here, or no values were found.
std::optional<StartReport> start_array(System& system, State& state, const StartRequest& request);
// `state` is one of system.model_system(), and becomes one of the system.
StartReport start_in_chart(System& system, State& state, const StartRequest& request);

}  // namespace daedalus
