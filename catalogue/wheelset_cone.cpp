// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_wheel_rail.hpp>

namespace daedalus::problems {

const Entry& wheelset_cone() {
  static const Entry entry = [] {
    wheel_rail::Constants c;
    c.V = 67.1;
    c.mu = 0.12;
    c.y0 = 2e-3;
    return wheel_rail::entry("wheelset-cone", "Conical wheelset above its critical speed, hunting",
                             wheel_rail::Wheel::cone, c, 10.0, "Examples 27 and 31");
  }();
  return entry;
}

}  // namespace daedalus::problems
