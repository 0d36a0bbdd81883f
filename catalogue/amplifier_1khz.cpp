// SPDX-License-Identifier: BSD-3-Clause
// Two-transistor amplifier driven with 1000 Hz from its state at rest.
#include <catalogue/support_amplifier.hpp>

namespace daedalus::problems {

const Entry& amplifier_1khz() {
  static const Entry entry = [] {
    Entry e = amplifier_entry("amplifier-1khz", "Transistor amplifier driven with 1000 Hz",
                              "amplitude sin(2 pi frequency t)");
    e.t_end = 0.01;
    for (Parameter& p : e.parameters)
      if (p.name == "frequency") p.value = 1000.0;
    e.build = [](const Values& values) {
      MassMatrixProblem p = amplifier_with_sine("amplifier-1khz", values);
      p.y0 = amplifier_at_rest(values, 0.0);
      return p;
    };
    e.reference = Reference{
        .t = 0.01,
        .values = named(numbered("U", 8),
                        {-0.00211139636247, 2.9865805156037, 2.8244679793084, 2.6286553231086,
                         2.4165613037316, 3.6897582162868, 4.4068733316355, 1.6020366683645}),
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
