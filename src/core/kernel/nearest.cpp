// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/nearest.hpp"

#include <algorithm>

namespace daedalus {
namespace {

// Edit distance with transpositions of neighbours (Damerau 1964, restricted form).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view typed, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::string_view::npos;
  for (const std::string& name : known) {
    const std::size_t far = distance(typed, name);
    if (far < least) least = far, best = name;
  }
  const std::size_t allowed = std::max<std::size_t>(1, std::max(typed.size(), best.size()) / 3);
  return least <= allowed ? best : std::string();
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& known) {
  const std::string name = nearest_name(typed, known);
  return name.empty() ? name : " Did you mean '" + name + "'?";
}

}  // namespace daedalus
