// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_lie.hpp>

#include <cmath>

#include <fmt/format.h>

namespace daedalus::problems::lie_support {

std::vector<std::string> matrix_names(const std::string& stem, const std::string& suffix) {
  std::vector<std::string> names;
  for (int j = 1; j <= 3; ++j)
    for (int i = 1; i <= 3; ++i) names.push_back(fmt::format("{}{}{}{}", stem, i, j, suffix));
  return names;
}

std::vector<std::string> quaternion_names(const std::string& stem, const std::string& suffix) {
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i) names.push_back(fmt::format("{}{}{}", stem, i, suffix));
  return names;
}

std::vector<std::string> vector_names(const std::string& stem, const std::string& suffix) {
  std::vector<std::string> names;
  for (int i = 1; i <= 3; ++i) names.push_back(fmt::format("{}{}{}", stem, i, suffix));
  return names;
}

int count_of(const std::string& problem, const char* field, double value, int least) {
  if (!(value >= least && value <= 1e6 && value == std::floor(value)))
    throw InvalidArgument(
        fmt::format("problem '{}': parameter '{}' is {}, allowed: an integer from {} to 1000000",
                    problem, field, value, least));
  return static_cast<int>(value);
}

}  // namespace daedalus::problems::lie_support
