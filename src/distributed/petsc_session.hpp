// SPDX-License-Identifier: BSD-3-Clause
// PETSc as this library uses it: begun once, ended with MPI, its options under the prefix dae_.
#pragma once

#include <string>
#include <vector>

namespace daedalus::distributed {

// Collective, any number of times. Throws InvalidArgument where PETSc cannot be begun.
void begin_petsc();
// Adds an option where the user has not given it; forget_defaults() takes back all that were added:
// PETSc's options are those of the process, and another run may want others.
void default_option(const std::string& name, const std::string& value);
void forget_defaults();
void set_options(const std::vector<std::string>& words);
// PETSc's function and text of the last error, for messages.
std::string petsc_error(int code);

}  // namespace daedalus::distributed
