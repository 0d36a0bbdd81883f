// SPDX-License-Identifier: BSD-3-Clause
// Heavy top on SE(3), with the pivot as constraint. See heavy_top.hpp.
#include <catalogue/heavy_top.hpp>

namespace daedalus::problems {

const Entry& heavy_top_se3() {
  static const Entry entry = heavy_top::entry(HeavyTop::se3);
  return entry;
}

}  // namespace daedalus::problems
