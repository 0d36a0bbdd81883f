// SPDX-License-Identifier: BSD-3-Clause
// The ranks that this process was started with.
#pragma once

#include <daedalus/distributed.hpp>

namespace daedalus::python {

Ranks& ranks_in_use();  // InvalidArgument: none were started

}  // namespace daedalus::python
