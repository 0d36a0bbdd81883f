// SPDX-License-Identifier: BSD-3-Clause
// The runs of a sweep, made: on threads, or on the ranks that a launcher started.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tool/session.hpp"
#include "tool/sweep_document.hpp"

namespace daedalus::cli {

// These runs of the plan, in this order; numbers in `how` are places in `runs`. The one place where
// points become results.
EnsembleResult run_points(const SweepSettings& settings, const SweepPlan& plan,
                          std::span<const std::size_t> runs, const EnsembleSettings& how,
                          Ranks* ranks);

// Times at which runs report states, where --bands asks for some.
std::vector<double> band_times(const SweepSettings& settings, Interval interval);

// All runs of the shard that the journal does not have, and those that refinement adds to the plan.
// On ranks above 0 files are neither read nor written, and the result is not whole; `open_files` is
// called where they are.
Sweep run_sweep(const SweepSettings& settings, SweepPlan& plan, const Entry& entry,
                const std::vector<std::string>& names, Session& io,
                const std::function<void()>& open_files);

}  // namespace daedalus::cli
