// SPDX-License-Identifier: BSD-3-Clause
// Order studies on catalogue problems: exact solution, else the reference at its time.
#pragma once

#include <string>
#include <vector>

#include <daedalus/testing/order.hpp>

#include "tool/settings.hpp"

namespace daedalus::cli {

// Exact values of the entry as a function; throws InvalidArgument when neither an exact solution
// nor a reference at the end of the interval is known. Variables without a known value are NaN.
testing::ExactState exact_state(const PreparedRun& run);

// norm: maximum, relative (largest component) or err1 (2-norm) at the end time; err2 is the 2-norm
// of the components' largest errors over all steps (err1, err2: Wieloch 2022, Remark 26).
testing::OrderStudy study_order(const PreparedRun& run, const std::vector<double>& steps,
                                const std::string& norm);

std::string norm_text(const std::string& norm);

}  // namespace daedalus::cli
