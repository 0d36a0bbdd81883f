// SPDX-License-Identifier: BSD-3-Clause
// The runs of a sweep: all combinations of the values of its parameters, the last one fastest.
#pragma once

#include <string>
#include <vector>

#include <daedalus/ensemble.hpp>

namespace daedalus::cli {

// name=value, name=a,b,c, name=FROM:TO:COUNT (equidistant, both ends included) or
// name=FROM:TO:COUNT:log (equal quotients). Throws InvalidArgument that names --set.
ParameterGrid::Axis parse_swept(const std::string& text);

class SweepPlan : public ParameterGrid {
 public:
  explicit SweepPlan(const std::vector<std::string>& texts);
  // name=value with all digits, as --set of one run takes them.
  std::vector<std::string> assignments(std::size_t run) const;
};

}  // namespace daedalus::cli
