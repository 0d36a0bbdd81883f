// SPDX-License-Identifier: BSD-3-Clause
// daedalus sensitivity PROBLEM --adjoint FUNCTIONAL: gradients of numbers that a run gives.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tool/session.hpp"
#include "tool/settings.hpp"

namespace daedalus::cli {

struct GradientSettings {
  std::vector<std::string> functionals;
  std::string way = "adjoint";
  double memory = 256.0;  // MB
  bool scaled = false, json = false;
};

// The parameters and start values stand in run.options.sensitivities.
int gradient_command(const GradientSettings& settings, PreparedRun& run, Session& io);

}  // namespace daedalus::cli
