// SPDX-License-Identifier: BSD-3-Clause
// What exact derivatives cost: a Jacobian over the evaluation of the same equations, per four
// directions, which is what one evaluation over dual numbers gives.
#pragma once

#include "runs.hpp"

namespace daedalus::bench {

// Every problem of the suite `core` as methods with the linear and with the residual view see it;
// derivatives.csv in `folder`.
void derivatives(const std::filesystem::path& folder, const Provenance& from);

}  // namespace daedalus::bench
