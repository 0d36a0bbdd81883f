// SPDX-License-Identifier: BSD-3-Clause
// Files of the tool: results appear whole or not at all, and leave nothing else behind.
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "io/atomic_file.hpp"

namespace daedalus::cli {

// Options that name a file, with their names; those that are not given are empty. Throws
// InvalidArgument where two are the same file: a journal and the result would replace each other.
void refuse_one_file_for_two(
    const std::vector<std::pair<const char*, std::filesystem::path>>& named);

// A folder of its own under the system's place for temporary files, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace daedalus::cli
