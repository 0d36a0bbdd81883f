// SPDX-License-Identifier: BSD-3-Clause
// What the command line of a sweep says.
#pragma once

#include <string>
#include <vector>

#include <daedalus/parameter_plan.hpp>

#include "tool/json.hpp"
#include "tool/settings.hpp"

namespace daedalus::cli {

struct SweepSettings {
  RunSettings run;
  std::string threads = "auto", engine = "auto", out, journal, shard, report;
  SampleSettings sample{};
  bool sampled = false;  // one of the options about samples was given
  std::string sampling = "latin-hypercube";
  std::string refine;  // change to refine at; empty: the grid stays as it is
  std::size_t refine_runs = 1000;
  std::size_t bands = 0;  // times at which runs report states; 0: at the end only
  bool merge = false, partial = false, json = false, quiet = false;
  std::vector<std::string> parts;  // files to be merged
};

// What decides about the numbers of every run; threads, ranks and shards do not.
Json identity_of(const SweepSettings& settings);
// The settings of the sweep with that identity; throws FileError that names the file.
void take_identity(SweepSettings& settings, const Json& identity, const std::string& file);

}  // namespace daedalus::cli
