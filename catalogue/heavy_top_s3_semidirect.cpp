// SPDX-License-Identifier: BSD-3-Clause
// Heavy top on rigid motions with unit quaternions, with the pivot as constraint. See
// heavy_top.hpp.
#include <catalogue/heavy_top.hpp>

namespace daedalus::problems {

const Entry& heavy_top_s3_semidirect() {
  static const Entry entry = heavy_top::entry(HeavyTop::s3_semidirect);
  return entry;
}

}  // namespace daedalus::problems
