// SPDX-License-Identifier: BSD-3-Clause
// The runs of a sweep: all combinations of the values of its parameters, the last one fastest.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace daedalus::cli {

struct SweptParameter {
  std::string name;
  std::vector<double> values;
};

// name=value, name=a,b,c, name=FROM:TO:COUNT (equidistant, both ends included) or
// name=FROM:TO:COUNT:log (equal quotients). Throws InvalidArgument that names --set.
SweptParameter parse_swept(const std::string& text);

class SweepPlan {
 public:
  explicit SweepPlan(const std::vector<std::string>& texts);
  const std::vector<SweptParameter>& parameters() const { return parameters_; }
  std::size_t size() const { return size_; }
  // One value for each parameter.
  std::vector<double> point(std::size_t run) const;
  // name=value with all digits, as --set of one run takes them.
  std::vector<std::string> assignments(std::size_t run) const;

 private:
  std::vector<SweptParameter> parameters_;
  std::size_t size_ = 1;
};

}  // namespace daedalus::cli
