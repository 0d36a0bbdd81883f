// Preconditioners of problems of the catalogue, for Options::krylov.
#pragma once

#include <daedalus/krylov.hpp>
#include <catalogue/catalogue.hpp>

namespace daedalus::problems {

// One without `apply` where there is none. `overrides` as for Entry::problem.
Preconditioner preconditioner_of(const Entry& entry, const Values& overrides = {});

}  // namespace daedalus::problems
