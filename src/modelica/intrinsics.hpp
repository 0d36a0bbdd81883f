// SPDX-License-Identifier: BSD-3-Clause
// Functions of the standard library that are external there and have a body here.
#pragma once

#include "modelica/context.hpp"

namespace daedalus::modelica {

// Sets the results in the frame; false: the function is none of them.
bool intrinsic(Context& c, const ClassRef& function, Frame& frame, const ast::Expression& call);

}  // namespace daedalus::modelica
