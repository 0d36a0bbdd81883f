// SPDX-License-Identifier: BSD-3-Clause
// Parts of the file of a run, for the tool, which adds what it knows of the catalogue.
#pragma once

#include <daedalus/run_file.hpp>

namespace daedalus {

// The members "model", "variables", "steps", "residuals", "invariants", "kinetic_energy" and
// "scene", without braces around them; `samples` are the states of the trajectory.
std::string run_members(const Problem& problem, const Solution& solution, const RunFile& file,
                        const Samples& samples, const Samples& frames);
// {"steps": ..., "accepted": ..., ...}
std::string statistics_object(const Statistics& statistics);

}  // namespace daedalus
