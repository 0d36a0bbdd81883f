// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_wheel_rail.hpp>

namespace daedalus::problems {

const Entry& wheelset_s1002() {
  static const Entry entry = [] {
    wheel_rail::Constants c;
    c.V = 30.0;
    c.Fz = 1e5;
    c.mu = 0.2;
    c.y0 = 4e-3;
    return wheel_rail::entry("wheelset-s1002", "Wheelset with wear profile S1002 on UIC60",
                             wheel_rail::Wheel::s1002, c, 3.0, "Example 29");
  }();
  return entry;
}

}  // namespace daedalus::problems
