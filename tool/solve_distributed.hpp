// SPDX-License-Identifier: BSD-3-Clause
// daedalus solve PROBLEM --distributed: one problem over the ranks that a launcher started.
#pragma once

#include <string>
#include <vector>

#include "tool/session.hpp"
#include "tool/settings.hpp"
#include "tool/solve_output.hpp"

namespace daedalus::cli {

struct RankSettings {
  bool distributed = false;
  bool gather = false;  // all states at rank 0, whatever their size
  std::string preconditioner = "automatic";
  int overlap = -1;
  std::vector<std::string> petsc;
};
void add_rank_options(CLI::App& command, RankSettings& settings);

// On every rank; rank 0 speaks.
int solve_over_ranks(const RunSettings& run, const OutputSettings& output,
                     const RankSettings& settings, bool json, bool quiet, Session& io);

}  // namespace daedalus::cli
