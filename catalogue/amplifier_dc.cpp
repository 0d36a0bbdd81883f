// SPDX-License-Identifier: BSD-3-Clause
// Two-transistor amplifier with constant input, which it does not amplify: after a short transient
// the output U8 falls to zero, stiff. Start: capacitors charged as in the published transistor
// amplifier, with U1 = Ue; the report says only that its start values were consistent.
#include <catalogue/support_amplifier.hpp>

namespace daedalus::problems {

const Entry& amplifier_dc() {
  static const Entry entry = [] {
    Entry e =
        amplifier_entry("amplifier-dc", "Transistor amplifier with constant input", "amplitude");
    e.t_end = 1.0;
    std::erase_if(e.parameters, [](const Parameter& p) { return p.name == "frequency"; });
    e.units.erase("frequency");
    e.build = [](const Values& values) {
      MassMatrixProblem p = amplifier_with_constant_input("amplifier-dc", values);
      p.y0[0] = values.at("amplitude");
      return p;
    };
    e.reference = Reference{
        .t = 1.0,
        .values = named(numbered("U", 8),
                        {0.1, 2.98581920345206, 2.83615930958814, 3.19220228354362,
                         2.98581920343413, 2.83615930957023, 3.1922268704357, -2.458693e-05}),
        .counted = {},
        .digits = 7,
        .source =
            "computed for this catalogue: rodas4p2, rodas5p and rodas6p with tolerance 1e-12 agree "
            "to 1e-12"};
    return e;
  }();
  return entry;
}

}  // namespace daedalus::problems
