// SPDX-License-Identifier: BSD-3-Clause
// An entry of the catalogue or of a file, as Python holds it.
#pragma once

#include <filesystem>
#include <memory>

#include <daedalus/problem_file.hpp>

namespace daedalus::python {

struct NativeEntry {
  std::shared_ptr<const Entry> entry;
  std::shared_ptr<const ProblemFile> file;  // null: of the catalogue
};

// What is loaded later sees the functions of the library, which is inside of this module: plug-ins,
// and the library for ranks.
void show_library();
std::filesystem::path module_file();

}  // namespace daedalus::python
