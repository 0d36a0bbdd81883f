// SPDX-License-Identifier: BSD-3-Clause
// The pendulum with both constraints, index 2; mu vanishes on solutions.
#include <catalogue/tischendorf_pendulum.hpp>

namespace daedalus::problems {

const Entry& tischendorf_pendulum_ggl() {
  static const Entry entry =
      unit_pendulum::entry(unit_pendulum::Variant::stabilised, "tischendorf-pendulum-ggl",
                           "Pendulum of period 2, stabilised index 2",
                           "x1' = v1 + x1 mu\n"
                           "x2' = v2 + x2 mu\n"
                           "v1' = x1 lambda\n"
                           "v2' = x2 lambda - gravity\n"
                           "0 = x1^2 + x2^2 - 1\n"
                           "0 = x1 v1 + x2 v2");
  return entry;
}

}  // namespace daedalus::problems
