// SPDX-License-Identifier: BSD-3-Clause
// The front door: solve(problem, {t0, t1}, options).
#pragma once

#include <daedalus/options.hpp>
#include <daedalus/problem.hpp>
#include <daedalus/solution.hpp>

namespace daedalus {

Solution solve(const Problem& problem, Interval interval, const Options& options = {});

}  // namespace daedalus
