// SPDX-License-Identifier: BSD-3-Clause
// What `daedalus perturb` prints.
#pragma once

#include <optional>
#include <string>

#include <daedalus/perturbation.hpp>

#include "tool/json.hpp"
#include "tool/models.hpp"
#include "tool/session.hpp"

namespace daedalus::cli {

struct PerturbationOutcome {
  std::string problem, title, kind;
  const LoadedProblem* origin = nullptr;  // of a model file
  bool multibody = false;
  PerturbationReport report;
  std::optional<UniformIndex> sweep;
};

Json describe_perturbation(const PerturbationOutcome& outcome);
void print_perturbation(const PerturbationOutcome& outcome, Session& io);

}  // namespace daedalus::cli
