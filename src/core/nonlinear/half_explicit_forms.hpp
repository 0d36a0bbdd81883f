// SPDX-License-Identifier: BSD-3-Clause
// The two forms behind HalfExplicit::make.
#pragma once

#include "nonlinear/half_explicit.hpp"

namespace daedalus {

std::unique_ptr<HalfExplicit> make_general_stages(System& system);    // partitioned view
std::unique_ptr<HalfExplicit> make_multibody_stages(System& system);  // mechanical view

}  // namespace daedalus
