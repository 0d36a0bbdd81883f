// SPDX-License-Identifier: BSD-3-Clause
// Options that no run can take, found before the first step.
#pragma once

#include <daedalus/event.hpp>
#include <daedalus/method.hpp>
#include <daedalus/options.hpp>

namespace daedalus {

// Throws InvalidArgument naming the field, its value and what is allowed.
void check_options(const Options& options, const Variables& variables, const Method& method);

}  // namespace daedalus
