// SPDX-License-Identifier: BSD-3-Clause
// Which part of the error is tested: Options::error_test, decided by the tractability chain at the
// start where the options leave it open.
#pragma once

#include <daedalus/options.hpp>

#include "integrate/loop.hpp"

namespace daedalus {

// Empty when nothing has to be found out: the layout alone decides. `declared`: the index that the
// problem states as a whole, where its variables may not.
StructureAnalysis tested_part(const Options& options, const Method& method, const System& system,
                              int declared = 1);

}  // namespace daedalus
