// SPDX-License-Identifier: BSD-3-Clause
// Files that a model names: tables, included netlists and mechanisms. Whoever wrote the model is
// not the one whose files are read, so that they lie in its folder unless the caller allows others.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace daedalus::model {

inline constexpr const char* allow_hint = "--allow (allow_files) lets a model read such files";

// Whether the file lies in the folder or below it, links followed.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);

// The folder of a model, and whether it may read others.
struct NamedFiles {
  std::string folder;
  bool anywhere = false;
  bool allow(const std::filesystem::path& file) const { return anywhere || lies_in(file, folder); }
};

// Its bytes; nothing where there is no plain file: devices and pipes have no end. FileError where
// it cannot be read.
std::optional<std::string> named_content(const std::filesystem::path& file);

}  // namespace daedalus::model
