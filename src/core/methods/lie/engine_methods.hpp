// SPDX-License-Identifier: BSD-3-Clause
// Descriptions and settings that the Lie-group methods share.
#pragma once

#include <daedalus/method.hpp>

#include "methods/lie/engine.hpp"

namespace daedalus::lie_methods {

// A method for multibody problems on their configuration space, fixed steps, all classes of order
// k.
Method fixed_step_method(std::string name, int order, std::string reference);
// Adds "renormalise" and "newton_tolerance".
void add_common_options(Method& method);
Common common_settings(const MethodSettings& settings);
// Throws InvalidArgument naming the key unless the value is one of least..largest, a whole number.
int whole(const MethodSettings& settings, std::string_view key, int least, int largest);
MethodOption start_option();

}  // namespace daedalus::lie_methods
