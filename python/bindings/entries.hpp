// SPDX-License-Identifier: BSD-3-Clause
// An entry of the catalogue or of a file, as Python holds it.
#pragma once

#include <memory>

#include <daedalus/problem_file.hpp>

namespace daedalus::python {

struct NativeEntry {
  std::shared_ptr<const Entry> entry;
  std::shared_ptr<const ProblemFile> file;  // null: of the catalogue
};

}  // namespace daedalus::python
