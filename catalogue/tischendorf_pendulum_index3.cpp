// SPDX-License-Identifier: BSD-3-Clause
// The pendulum with its position constraint, index 3.
#include <catalogue/tischendorf_pendulum.hpp>

namespace daedalus::problems {

const Entry& tischendorf_pendulum_index3() {
  static const Entry entry =
      unit_pendulum::entry(unit_pendulum::Variant::index3, "tischendorf-pendulum-index3",
                           "Pendulum of period 2 with the position constraint",
                           "x1' = v1\n"
                           "x2' = v2\n"
                           "v1' = x1 lambda\n"
                           "v2' = x2 lambda - gravity\n"
                           "0 = x1^2 + x2^2 - 1");
  return entry;
}

}  // namespace daedalus::problems
