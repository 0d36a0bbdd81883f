// SPDX-License-Identifier: BSD-3-Clause
#include "tool/files.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace daedalus::cli {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) throw FileError("there is no folder for temporary files: " + error.message());
  std::string pattern = (base / "daedalus-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw FileError("no temporary folder in '" + base.string() + "': " + std::strerror(errno));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace daedalus::cli
