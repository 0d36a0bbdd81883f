// SPDX-License-Identifier: BSD-3-Clause
// The methods that the build files list; registry.cpp of the build folder defines these.
#pragma once

#include <span>
#include <string_view>

#include <daedalus/method.hpp>

namespace daedalus {

std::span<const Method* const> library_methods();
const Method* find_library_method(std::string_view name);

}  // namespace daedalus
