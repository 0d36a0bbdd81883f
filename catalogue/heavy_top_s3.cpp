// SPDX-License-Identifier: BSD-3-Clause
// Heavy top on unit quaternions, about its fixed point. See heavy_top.hpp.
#include <catalogue/heavy_top.hpp>

namespace daedalus::problems {

const Entry& heavy_top_s3() {
  static const Entry entry = heavy_top::entry(HeavyTop::s3);
  return entry;
}

}  // namespace daedalus::problems
