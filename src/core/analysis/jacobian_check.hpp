// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <daedalus/testing/jacobian.hpp>

namespace daedalus::testing {

// Whether all derivatives of a problem agree with differences along one direction, which costs some
// twenty evaluations where check_jacobians() takes sixty per variable. False: some do not, or it is
// not certain.
bool jacobians_agree(const Problem& problem, double t0, double tolerance = 1e-5);

}  // namespace daedalus::testing
