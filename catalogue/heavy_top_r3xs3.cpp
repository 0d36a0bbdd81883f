// SPDX-License-Identifier: BSD-3-Clause
// Heavy top on R^3 x unit quaternions, with the pivot as constraint. See heavy_top.hpp.
#include <catalogue/heavy_top.hpp>

namespace daedalus::problems {

const Entry& heavy_top_r3xs3() {
  static const Entry entry = heavy_top::entry(HeavyTop::r3xs3);
  return entry;
}

}  // namespace daedalus::problems
