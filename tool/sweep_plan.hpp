// SPDX-License-Identifier: BSD-3-Clause
// The runs of a sweep: all combinations of the values of its parameters, the last one fastest, and
// samples of those that are uncertain, which are faster than all others.
#pragma once

#include <string>
#include <vector>

#include <daedalus/parameter_plan.hpp>

namespace daedalus::cli {

// name=value, name=a,b,c, name=FROM:TO:COUNT (equidistant, both ends included) or
// name=FROM:TO:COUNT:log (equal quotients). Throws InvalidArgument that names --set.
ParameterGrid::Axis parse_swept(const std::string& text);

class SweepPlan {
 public:
  // Also name=lognormal(1,0.1) and the other laws of `value_law`.
  explicit SweepPlan(const std::vector<std::string>& texts, const SampleSettings& how = {});

  ParameterPlan points;
  bool sampled() const { return sampled_; }
  const ParameterGrid& grid() const { return grid_; }
  const std::vector<ParameterGrid::Axis>& axes() const { return grid_.axes(); }
  std::size_t size() const { return points.size(); }
  const std::vector<std::string>& names() const { return points.names(); }
  std::vector<double> point(std::size_t run) const;
  std::vector<Parameter> parameters(std::size_t run) const { return points.parameters(run); }
  // name=value with all digits, as --set of one run takes them.
  std::vector<std::string> assignments(std::size_t run) const;

 private:
  ParameterGrid grid_;
  bool sampled_ = false;
};

}  // namespace daedalus::cli
