// SPDX-License-Identifier: BSD-3-Clause
// Names given by the user, continued by stem1, stem2, ... where there are none.
#pragma once

#include <string>
#include <vector>

namespace daedalus {

inline std::vector<std::string> default_names(const std::vector<std::string>& given,
                                              const char* stem, int count) {
  std::vector<std::string> names = given;
  for (int i = static_cast<int>(given.size()); i < count; ++i)
    names.push_back(stem + std::to_string(i + 1));
  return names;
}

}  // namespace daedalus
