// SPDX-License-Identifier: BSD-3-Clause
// A problem lowered to F(t, x, x') = 0 with a state to look at it from.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>

#include "system/system.hpp"

namespace daedalus {

struct AnalysedSystem {
  std::shared_ptr<const Problem> problem;
  std::unique_ptr<System> system;
  State state;
  bool consistent = false;
  std::string message;  // why not

  ResidualView& view() { return *system->residual_view(); }
  int size() const { return system->layout.tangents(); }
  // Rates in the length that the residual view reads.
  Eigen::VectorXd rates() const;
  // E and J of E x' + J x there; false: an evaluation failed.
  bool linearise(const State& at, Eigen::MatrixXd& E, Eigen::MatrixXd& J);
};

// The formulation closest to a multibody problem as given; empty for other forms.
std::string natural_formulation(const Problem& problem);

// At the start values, made consistent where they allow it.
AnalysedSystem analysed_at_start(const Problem& problem, std::string_view formulation, double t0,
                                 const Options& options);
// At model variables y; what follows from them (multipliers, rates) is completed.
AnalysedSystem analysed_at(const Problem& problem, std::string_view formulation, double t,
                           const Eigen::VectorXd& y, const Options& options);

}  // namespace daedalus
