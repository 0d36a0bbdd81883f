// SPDX-License-Identifier: BSD-3-Clause
// What a run is asked to be differentiated by, resolved to parameters and coordinates.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include <daedalus/sensitivity.hpp>

#include "system/system.hpp"

namespace daedalus {

// Relative increment of central differences: eps^(1/3).
inline constexpr double central_increment = 6e-6;

inline const std::vector<Parameter>& inputs_of(const Problem& problem) {
  return std::visit([](const auto& p) -> const std::vector<Parameter>& { return p.parameters; },
                    problem);
}

struct AskedParameter {
  std::string name;
  double value = 0.0, typical = 1.0;
  int input = -1;   // among the parameters of the problem; -1: a constant inside its callables
  int member = -1;  // of the family; -1: it does not know it
  // The problem for values nearby, and these values. Start values come from them too. Null where
  // only parameters differ, which set_parameter() can change: no start value moves then.
  std::shared_ptr<const Problem> plus, minus;
  double upper = 0.0, lower = 0.0;
  double width() const { return upper - lower; }
};

struct AskedStart {
  std::string name;
  int tangent = 0;  // coordinate of the model
  double value = 0.0, typical = 1.0;
};

struct Asked {
  std::vector<AskedParameter> parameters;
  std::vector<AskedStart> start_values;
  Eigen::MatrixXd directions;  // empty: the identity
  int base() const { return static_cast<int>(parameters.size() + start_values.size()); }
  int columns() const {
    return directions.size() > 0 ? static_cast<int>(directions.cols()) : base();
  }
  // Of a matrix whose columns belong to the parameters, or to everything asked for.
  Eigen::MatrixXd combined(const Eigen::MatrixXd& by_base) const;
};

// Start values as given by a first-order problem: (y0) or (y0, z0); empty: a multibody problem.
Eigen::VectorXd given_start(const Problem& problem);

// Throws InvalidArgument naming what is unknown, given twice or a size.
Asked resolve(const Problem& problem, const SensitivityOptions& options, const System& model);
std::vector<SensitivityColumn> described(const Asked& asked, bool differentiable);

}  // namespace daedalus
