// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/named_file.hpp"

#include "io/trajectory_formats.hpp"

namespace daedalus::model {

namespace fs = std::filesystem;

bool lies_in(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  // Absolute first: what does not exist would stay relative.
  const fs::path inner = fs::weakly_canonical(fs::absolute(file, error), error);
  const fs::path outer = fs::weakly_canonical(fs::absolute(folder.empty() ? "." : folder), error);
  if (error) return false;
  const fs::path way = inner.lexically_relative(outer);
  return !way.empty() && *way.begin() != "..";
}

std::optional<std::string> named_content(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  return files::contents(file);
}

}  // namespace daedalus::model
