// SPDX-License-Identifier: BSD-3-Clause
// Which methods the automatic choice tries, in what order, and why: rules from form, index, size,
// tolerance, events and what the run has shown of itself (docs/choosing-a-method.md).
#pragma once

#include <vector>

#include "select/choose.hpp"

namespace daedalus {

struct Preference {
  const char *method, *formulation, *reason;
  double tolerance_share = 1.0;
  bool for_short_runs = false;
};

// `fixed`: with fixed steps there is no tolerance to choose by.
std::vector<Preference> preferences(const Problem& problem, const Options& options, bool fixed,
                                    Course course);

}  // namespace daedalus
