// SPDX-License-Identifier: BSD-3-Clause
// `daedalus bench --regret`: what the automatic choice costs on problems of the catalogue. A
// competitor has to reach mescd >= -log10(tol) - 1.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <catalogue/catalogue.hpp>
#include <daedalus/comparison.hpp>

#include "tool/json.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {

struct RegretCommand {
  std::vector<double> tolerances{1e-4, 1e-7, 1e-10};
  int repetitions = 7;
  std::vector<std::string> methods{};  // competitors; empty: all
  long max_steps = 1000000;
};

struct RegretRow {
  std::string problem;
  double rtol = 0.0;
  Regret regret;
};

RegretRow measure_row(const problems::Entry& entry, double tol, const RegretCommand& settings);

Json describe_regret(const std::vector<RegretRow>& rows);
void print_regret(const std::vector<RegretRow>& rows, std::ostream& out);

// daedalus bench [PROBLEM...] --regret; no problem: the suite `core`. Exit code.
int regret_command(const std::vector<std::string>& names, const RegretCommand& settings, bool json,
                   Session& io);

}  // namespace daedalus::cli
