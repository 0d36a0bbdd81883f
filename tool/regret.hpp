// SPDX-License-Identifier: BSD-3-Clause
// What the automatic choice costs: its CPU time over that of the cheapest competitor. A competitor
// is any method in any formulation that fits, estimates its error and reaches
// mescd >= -log10(tol) - 1.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <catalogue/catalogue.hpp>

#include "tool/json.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {

struct RegretSettings {
  std::vector<double> tolerances{1e-4, 1e-7, 1e-10};
  int repetitions = 7;                 // interleaved; the least CPU time of each counts
  std::vector<std::string> methods{};  // competitors; empty: all
  long max_steps = 1000000;
};

struct Regret {
  std::string problem;
  double rtol = 0.0;
  std::string chosen, chosen_formulation, status;
  std::string best, best_formulation;  // empty: no competitor
  double chosen_seconds = 0.0, best_seconds = 0.0;
  double chosen_mescd = 0.0, best_mescd = 0.0;
  int competitors = 0;   // that reached the accuracy
  bool failed = false;   // the automatic choice, where a competitor did not
  double ratio() const;  // NaN: no competitor, or the choice failed
};

// One row per tolerance. Every competitor runs once; those that took more than three times as long
// as the fastest cannot be the cheapest and are not repeated.
std::vector<Regret> measure_regret(const problems::Entry& entry, const RegretSettings& settings);

struct RegretSummary {
  int rows = 0, failures = 0;
  double median = 0.0, worst = 0.0;  // of the ratios there are
  std::string worst_at;
};
RegretSummary summarise(const std::vector<Regret>& rows);

Json describe_regret(const std::vector<Regret>& rows);
void print_regret(const std::vector<Regret>& rows, std::ostream& out);

// daedalus bench [PROBLEM...] --regret; no problem: the suite `core`. Exit code.
int regret_command(const std::vector<std::string>& names, const RegretSettings& settings, bool json,
                   Session& io);

}  // namespace daedalus::cli
