// SPDX-License-Identifier: BSD-3-Clause
// What the automatic choice costs beside the cheapest method that is as accurate, on problems of
// the soak (as `daedalus bench --regret` on the catalogue).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "soak/soak.hpp"

namespace daedalus::soak {

struct RegretRow {
  std::string problem_class{}, description{};
  std::uint64_t seed = 0;
  double tolerance = 0.0;
  std::string chosen{}, best{};
  double chosen_seconds = 0.0, best_seconds = 0.0;  // of processor time
  long chosen_steps = 0, best_steps = 0;
  double chosen_error = 0.0, best_error = 0.0;  // in tolerances
  bool failed = false;   // the automatic choice, where another method succeeds
  double ratio() const;  // NaN: no method is accurate enough
};

// Problems of the classes in turns, each at 1e-4 and 1e-7.
std::vector<RegretRow> measure_regret(const SoakSettings& settings, int problems);
void print_regret(std::ostream& out, const std::vector<RegretRow>& rows);

}  // namespace daedalus::soak
