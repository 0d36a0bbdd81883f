// SPDX-License-Identifier: BSD-3-Clause
// The known name closest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace daedalus {

// Empty when nothing is close (more than a third of the letters differ).
std::string nearest_name(std::string_view typed, const std::vector<std::string>& known);
// " Did you mean 'x'?" or "".
std::string suggestion(std::string_view typed, const std::vector<std::string>& known);

}  // namespace daedalus
