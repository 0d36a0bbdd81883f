// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/petsc_session.hpp"

#include <petscsys.h>

#include <fmt/format.h>

#include <type_traits>

#include <daedalus/types.hpp>

namespace daedalus::distributed {
namespace {

static_assert(std::is_same_v<PetscScalar, double>, "PETSc is the complex variant");

// MPI deletes the attributes of MPI_COMM_SELF first: PETSc is still able to end.
int end_petsc(MPI_Comm, int, void*, void*) {
  PetscBool finished = PETSC_FALSE;
  PetscFinalized(&finished);
  if (!finished) PetscFinalize();
  return MPI_SUCCESS;
}

std::vector<std::string>& defaults() {
  static std::vector<std::string> names;
  return names;
}

}  // namespace

void begin_petsc() {
  PetscBool begun = PETSC_FALSE;
  PetscInitialized(&begun);
  if (begun) return;
  if (const PetscErrorCode e = PetscInitializeNoArguments(); e != 0)
    throw InvalidArgument(fmt::format("PETSc could not be begun: error {}", static_cast<int>(e)));
  // Signals are the program's; errors become outcomes and sentences.
  PetscPopSignalHandler();
  PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &end_petsc, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
}

void default_option(const std::string& name, const std::string& value) {
  PetscBool there = PETSC_FALSE;
  PetscOptionsHasName(nullptr, nullptr, name.c_str(), &there);
  if (there) return;
  PetscOptionsSetValue(nullptr, name.c_str(), value.c_str());
  defaults().push_back(name);
}

void forget_defaults() {
  for (const std::string& name : defaults()) PetscOptionsClearValue(nullptr, name.c_str());
  defaults().clear();
}

void set_options(const std::vector<std::string>& words) {
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k].rfind("-dae_", 0) != 0)
      throw InvalidArgument(
          fmt::format("petsc_options: '{}' is not allowed; options begin with '-dae_'", words[k]));
    const bool valued = k + 1 < words.size() && words[k + 1].rfind("-dae_", 0) != 0;
    PetscOptionsSetValue(nullptr, words[k].c_str(), valued ? words[k + 1].c_str() : nullptr);
    if (valued) ++k;
  }
}

std::string petsc_error(int code) {
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  return fmt::format("PETSc error {}: {}", code, text ? text : "no text");
}

}  // namespace daedalus::distributed
