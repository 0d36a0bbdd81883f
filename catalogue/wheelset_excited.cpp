// SPDX-License-Identifier: BSD-3-Clause
#include <catalogue/support_wheel_rail.hpp>

namespace daedalus::problems {

const Entry& wheelset_excited() {
  static const Entry entry = [] {
    wheel_rail::Constants c;
    c.V = 20.0;
    c.Fz = 1e5;
    c.mu = 0.3;
    c.amplitude = 4e-3;
    c.dbeta0 = 20.0 / 0.5 - 40.001225;
    c.irregularity = 1e-5;  // small, so that no step size control jumps over the defect
    return wheel_rail::entry("wheelset-excited",
                             "Wheelset S1002 over a lateral defect of the track",
                             wheel_rail::Wheel::s1002, c, 1.0, "section 4.4");
  }();
  return entry;
}

}  // namespace daedalus::problems
