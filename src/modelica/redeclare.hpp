// SPDX-License-Identifier: BSD-3-Clause
// Whether one class may stand for another one.
#pragma once

#include "modelica/context.hpp"

namespace daedalus::modelica {

// Throw Mistake where something is not replaceable, or lacks what the constraining class has.
void check_replacement(Context& c, Instance& i, const ClassRef& in, const std::string& name,
                       const Modifier& by);
void check_component_replacement(Context& c, const Instance& child, const ClassRef& old,
                                 const ClassRef& by);

}  // namespace daedalus::modelica
