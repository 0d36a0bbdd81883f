// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners of problems of the catalogue, for Options::krylov.
#pragma once

#include <catalogue/catalogue.hpp>
#include <daedalus/krylov.hpp>

namespace daedalus::problems {

// One without `apply` where there is none. `overrides` as for Entry::problem.
Preconditioner preconditioner_of(const Entry& entry, const Values& overrides = {});

}  // namespace daedalus::problems
