// SPDX-License-Identifier: BSD-3-Clause
// The pendulum with its velocity constraint, index 2.
#include <catalogue/tischendorf_pendulum.hpp>

namespace daedalus::problems {

const Entry& tischendorf_pendulum_index2() {
  static const Entry entry =
      unit_pendulum::entry(unit_pendulum::Variant::index2, "tischendorf-pendulum-index2",
                           "Pendulum of period 2 with the velocity constraint",
                           "x1' = v1\n"
                           "x2' = v2\n"
                           "v1' = x1 lambda\n"
                           "v2' = x2 lambda - gravity\n"
                           "0 = x1 v1 + x2 v2");
  return entry;
}

}  // namespace daedalus::problems
