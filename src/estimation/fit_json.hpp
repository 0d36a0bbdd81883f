// SPDX-License-Identifier: BSD-3-Clause
// A fit as JSON: what the tool prints, and what Python reads.
#pragma once

#include <daedalus/fit.hpp>

#include "io/json.hpp"

namespace daedalus::estimation {

// status, message, parameters, correlation, undetermined, residual_norm, runs, failed_runs, and all
// the rest as `fit`.
json::Json describe_fit(const FitResult& result);

}  // namespace daedalus::estimation
