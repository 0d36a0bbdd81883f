// SPDX-License-Identifier: BSD-3-Clause
// The parts that shards wrote, put together as one process would have written them.
#pragma once

#include "tool/session.hpp"
#include "tool/sweep_document.hpp"

namespace daedalus::cli {

struct MergedPart {
  std::string file;
  Json identity{};
  Json by{};
  std::vector<Json> runs{};
};
// Journals and documents (.json) named one by one, or all of the journal's folder.
std::vector<MergedPart> read_parts(const SweepSettings& settings);
// Identities compared with that of `settings`; throws FileError with file, key and both values.
void require_same_sweep(const std::vector<MergedPart>& parts, const SweepSettings& settings,
                        std::ostream& err);
// Two lines for one run must agree in all but seconds; throws FileError with run, files, variable
// and both numbers. `plan` is refined as the sweep was.
Sweep merge(const std::vector<MergedPart>& parts, SweepPlan& plan,
            const std::vector<std::string>& names, const SweepSettings& settings);
// "37 of 1024 runs are missing: 5, 21, 37, ... (shard 6 of 16)"; empty: none is.
std::string missing_runs(const Sweep& sweep, const std::vector<MergedPart>& parts);

// Tables of shards (.csv) need no plan: their rows are put in order. Returns the exit code.
bool are_tables(const SweepSettings& settings);
int merge_tables(const SweepSettings& settings, Session& io);

}  // namespace daedalus::cli
