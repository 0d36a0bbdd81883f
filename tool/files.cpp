// SPDX-License-Identifier: BSD-3-Clause
#include "tool/files.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <daedalus/types.hpp>

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

void refuse_one_file_for_two(
    const std::vector<std::pair<const char*, std::filesystem::path>>& named) {
  std::error_code ignored;
  const auto place = [&](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(path, ignored);
  };
  for (std::size_t i = 0; i < named.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!named[i].second.empty() && place(named[i].second) == place(named[j].second))
        throw InvalidArgument(std::string(named[j].first) + " and " + named[i].first +
                              " name one file, '" + named[i].second.string() + "'");
}

}  // namespace daedalus::cli
