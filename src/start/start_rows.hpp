// Shared by the strategies: rows scaled by what a change within tolerance would do to them.
#pragma once

#include "start/consistent.hpp"

namespace daedalus {

StartReport failed_start(System& system, double t, Outcome outcome, std::string_view doing);
// Adds rows and sorts; a row is inconsistent when its scaled value exceeds one.
void sort_rows(StartReport& report);
// Turns the worst rows into inconsistent_start and a sentence.
void refuse(StartReport& report, double t, std::string_view remedy);

StartReport start_multibody(System& system, State& state, const StartRequest& request);
StartReport start_linear(System& system, State& state, const StartRequest& request);
StartReport start_residual(System& system, State& state, const StartRequest& request);

}  // namespace daedalus
