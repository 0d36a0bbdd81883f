// SPDX-License-Identifier: BSD-3-Clause
// What the automatic choice costs beside the cheapest method that is as accurate, on problems of
// the soak (as `daedalus bench --regret` on the catalogue).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <daedalus/comparison.hpp>

#include "soak/soak.hpp"

namespace daedalus::soak {

struct RegretRow {
  std::string problem_class{}, description{};
  std::uint64_t seed = 0;
  double tolerance = 0.0;
  Regret regret{};  // digits: -log10 of the error in tolerances
};

// Problems of the classes in turns, each at 1e-4 and 1e-7.
std::vector<RegretRow> measure_regret(const SoakSettings& settings, int problems);
void print_regret(std::ostream& out, const std::vector<RegretRow>& rows);

}  // namespace daedalus::soak
