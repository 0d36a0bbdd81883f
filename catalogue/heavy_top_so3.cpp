// SPDX-License-Identifier: BSD-3-Clause
// Heavy top on SO(3), about its fixed point. See heavy_top.hpp.
#include <catalogue/heavy_top.hpp>

namespace daedalus::problems {

const Entry& heavy_top_so3() {
  static const Entry entry = heavy_top::entry(HeavyTop::so3);
  return entry;
}

}  // namespace daedalus::problems
