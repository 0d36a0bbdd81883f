// SPDX-License-Identifier: BSD-3-Clause
// Options of `daedalus fit`, and the fit they ask for.
#pragma once

#include <daedalus/fit.hpp>

#include "tool/settings.hpp"

namespace daedalus::cli {

struct FitSettings {
  RunSettings run;
  std::vector<std::string> data, free, sigma, scale, weight, ignore;
  std::string loss = "linear", loss_scale = "1", confidence = "0.95", trial_seconds;
  std::string threads = "auto", journal, report, out;
  std::optional<bool> sigma_known;
  long starts = 1, seed = 1, max_iterations = 200;
  bool json = false, quiet = false, by_differences = false;
};

void add_fit_options(CLI::App& command, FitSettings& settings);
// Everything read and checked. Throws InvalidArgument that names the option, and FileError.
Fit fit_of(const FitSettings& settings);

}  // namespace daedalus::cli
