// SPDX-License-Identifier: BSD-3-Clause
// Two-transistor amplifier driven with 100 Hz from its state at rest.
#include <catalogue/support_amplifier.hpp>

namespace daedalus::problems {

const Entry& amplifier_100hz() {
  static const Entry entry = [] {
    Entry e = amplifier_entry("amplifier-100hz", "Transistor amplifier driven with 100 Hz",
                              "amplitude sin(2 pi frequency t)");
    e.t_end = 0.1;
    e.build = [](const Values& values) {
      MassMatrixProblem p = amplifier_with_sine("amplifier-100hz", values);
      p.y0 = amplifier_at_rest(values, 0.0);
      return p;
    };
    e.reference = Reference{
        .t = 0.1,
        .values = named(numbered("U", 8),
                        {-0.00556214494136, 3.0065224715803, 2.8499587882803, 2.9128054215154,
                         2.7114264048056, 2.7685567849291, 4.5979511760911, 1.4099689206619}),
        .counted = {},
        .digits = 11,
        .source =
            "computed for this catalogue: rodas4p2, rodas5p and rodas6p with tolerance 1e-12 "
            "agree; an independent program agrees to 2e-11"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
