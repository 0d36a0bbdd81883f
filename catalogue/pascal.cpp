// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_wheel_rail.hpp>

namespace daedalus::problems {

const Entry& pascal() {
  static const Entry entry = [] {
    wheel_rail::Constants c;
    c.r0 = 0.45;
    c.Fy = 2e4;
    c.Fz = 154715.0;
    c.mu = 0.01;
    return wheel_rail::entry(
        "pascal", "Pascal's benchmark: wheelset pushed to the right, quasi-elastic contact",
        wheel_rail::Wheel::s1002, c, 3.0, "Examples 30 and 32");
  }();
  return entry;
}

}  // namespace daedalus::problems
