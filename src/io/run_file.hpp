// SPDX-License-Identifier: BSD-3-Clause
// Parts of the file of a run, for the tool, which adds what it knows of the catalogue.
#pragma once

#include <daedalus/run_file.hpp>

#include "io/json.hpp"

namespace daedalus {

// "model", "variables", "steps", "residuals", "invariants", "kinetic_energy" and "scene"; `samples`
// are the states of the trajectory.
json::Json run_members(const Problem& problem, const Solution& solution, const RunFile& file,
                       const Samples& samples, const Samples& frames);
// {"steps": ..., "accepted": ..., ...}
json::Json statistics_object(const Statistics& statistics);

// Along the samples, null where a callable gives none: {name: [...], ...}, and v^T M v / 2 of a
// multibody problem, null for others.
json::Json invariants_along(const Problem& problem, const Variables& variables,
                            const Samples& samples);
json::Json kinetic_energy_along(const Problem& problem, const Variables& variables,
                                const Samples& samples);
// The bodies in every frame; null without bodies.
json::Json scene_along(const Scene& scene, const Variables& variables, const Samples& frames);

}  // namespace daedalus
