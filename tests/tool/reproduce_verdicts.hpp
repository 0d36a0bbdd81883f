// SPDX-License-Identifier: BSD-3-Clause
// Registered experiments against the verdicts their claims are known to have.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "reproduce/experiment.hpp"

namespace daedalus::experiments {

struct KnownVerdicts {
  std::string prefix;               // of the experiments' names
  std::set<std::string> deviating;  // claims that do not hold here
  std::function<bool(const std::string&)> open;
  std::function<bool(const std::string&)> sensitive;  // confirmed or deviating
};

// Every claim of the experiments with `least` <= seconds < `most`.
void expect_known_verdicts(const KnownVerdicts& known, double min_seconds, double max_seconds);

// `reproduce --list` holds prefix + 1 to prefix + count.
void expect_listed(const std::string& prefix, int count);

}  // namespace daedalus::experiments
