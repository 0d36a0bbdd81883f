// SPDX-License-Identifier: BSD-3-Clause
// Files of the tool: results appear whole or not at all, and leave nothing else behind.
#pragma once

#include <filesystem>

#include "io/atomic_file.hpp"

namespace daedalus::cli {

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
