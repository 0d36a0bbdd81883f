// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_wheel_rail.hpp>

namespace daedalus::problems {

const Entry& bogie() {
  static const Entry entry = [] {
    wheel_rail::Constants c;
    c.V = 20.0;
    c.Fz = 1e5;
    c.mu = 0.3;
    c.y0 = 3e-3;
    return wheel_rail::entry("bogie", "Two wheelsets S1002 in the frame of a bogie",
                             wheel_rail::Wheel::s1002, c, 1.0,
                             "sections 4.2 and 4.3; frame of this catalogue", true);
  }();
  return entry;
}

}  // namespace daedalus::problems
