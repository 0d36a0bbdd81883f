// SPDX-License-Identifier: BSD-3-Clause
// Errors of a run against the catalogue's reference or exact solution.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catalogue/catalogue.hpp>
#include <daedalus/event.hpp>
#include <daedalus/options.hpp>

#include "tool/json.hpp"

namespace daedalus::cli {

// Parameters set on the command line, checked against the entry, and the complete set.
struct ChosenParameters {
  problems::Values all;
  bool standard = true;  // nothing differs from the defaults
};
// Throws InvalidArgument for text that is not name=value and, with the nearest name, for a name
// the entry does not have.
ChosenParameters choose_parameters(const problems::Entry& entry,
                                   const std::vector<std::string>& assignments);

// Values to compare with at one time.
struct Target {
  std::vector<std::pair<std::string, double>> values;
  std::vector<std::string> counted;  // empty: all
  int digits = 0;
  std::string source;
};
// The reference when t is its time and all parameters are standard, else the exact solution.
std::optional<Target> target_at(const problems::Entry& entry, const ChosenParameters& parameters,
                                double t);

struct RunError {
  double relative;  // largest |error / reference| over counted variables with reference != 0
  double scd;       // -log10 of it
  double mescd;     // -log10 of the largest |error| / (atol / rtol + |reference|), counted
  // Largest |error| / max(|reference|, atol / rtol) over all values of the class.
  std::map<std::string, double> per_class;
};
RunError measure_error(const StateView& state, const Target& target, double rtol,
                       const Tolerance& atol);
Json describe(const RunError& error, const Target& target);

// Name of the class of variable i.
std::string class_of(const Variables& variables, int i);

}  // namespace daedalus::cli
