// SPDX-License-Identifier: BSD-3-Clause
// Compares derivatives given by a user (or found by automatic differentiation) with differences.
#pragma once

#include <string>
#include <vector>

#include <daedalus/problem.hpp>

namespace daedalus::testing {

struct JacobianEntry {
  std::string function;  // "jacobian", "constraint_jacobian", ...
  std::string row, column;
  double given, differences;
  double error;  // |given - differences| relative to the size of the row's entries
};

struct JacobianReport {
  bool ok = true;
  JacobianEntry worst{};
  std::vector<JacobianEntry> wrong;  // every entry above the tolerance
  std::string text() const;          // a sentence that names the worst entry
};

// Checks every derivative callable the problem has at its start values (and at a second, nearby
// point, so that entries that vanish at the start are seen). tolerance is relative; central
// differences with error estimate are good to about 1e-8.
JacobianReport check_jacobians(const Problem& problem, double t0, double tolerance = 1e-5);

}  // namespace daedalus::testing
