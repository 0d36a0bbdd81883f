// SPDX-License-Identifier: BSD-3-Clause
// The runs of a sweep as JSON and as a table: for the journal, for --json and for --out.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <daedalus/ensemble.hpp>

#include "tool/sweep_plan.hpp"
#include "tool/sweep_settings.hpp"
#include "tool/sweep_shard.hpp"

namespace daedalus::cli {

struct Sweep {
  std::vector<EnsembleRun> runs{};  // in the order of the plan
  Shard shard{};
  std::size_t wanted = 0, done = 0, failed = 0, resumed = 0;  // of the shard's runs
  int threads = 0;
  Engine engine = Engine::threads;
  std::string engine_reason{};
  std::size_t handed_over = 0;  // runs that lanes left to the library's loop
  double seconds = 0.0;
  bool whole() const { return done == wanted; }
};
// Counts what there is.
void count_runs(Sweep& sweep, const SweepPlan& plan);

Json parameters_of(const SweepPlan& plan, std::size_t run);
Json describe_run(const SweepPlan& plan, const std::vector<std::string>& names,
                  std::size_t number_of_run, const EnsembleRun& run);
// A run of a journal or a document; throws FileError that names the file where it is none of this
// plan.
std::pair<std::size_t, EnsembleRun> read_run(const Json& json, const SweepPlan& plan,
                                             const std::vector<std::string>& names,
                                             const std::string& file);

Json sweep_document(const PreparedRun& standard, const SweepSettings& settings,
                    const SweepPlan& plan, const std::vector<std::string>& names,
                    const Sweep& sweep);

// Without times, so that the file does not depend on threads and machine. The table of a shard has
// the numbers of its runs in front, under a name that says how many runs there are in all.
void write_sweep_csv(std::ostream& out, const SweepPlan& plan,
                     const std::vector<std::string>& names, const Sweep& sweep);
inline constexpr std::string_view shard_column = "run_of_";

}  // namespace daedalus::cli
