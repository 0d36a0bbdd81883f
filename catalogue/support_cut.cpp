// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/cut_parts.hpp>

namespace daedalus::problems {
namespace {
struct Known {
  const char* name;
  DistributedProblem (*part)(const Values& values, int rank, int size);
};
constexpr Known known[] = {{"pde-2d", cut_pde_2d},
                           {"transmission-line", cut_line},
                           {"transmission-line-index2", cut_line_index2}};
}  // namespace

std::vector<std::string> cut_problems() {
  std::vector<std::string> names;
  for (const Known& k : known) names.emplace_back(k.name);
  return names;
}

std::optional<DistributedProblem> cut(const std::string& name, const Values& values, int rank,
                                      int size) {
  for (const Known& k : known)
    if (name == k.name) return k.part(values, rank, size);
  return std::nullopt;
}

}  // namespace daedalus::problems
